/**
 * Registrations before and after a change, each as `first | last | address`. The name of the list says which
 * of the changes are handovers to another person.
 */
export const EDITS = `
Anna | Müller | anna.mueller@acme.example -> Anna | Mueller | a.mueller@acme.example
Anna | Müller | anna.mueller@acme.example -> Anna | Schmidt | anna.schmidt@acme.example
Anna | Müller | anna.mueller@acme.example -> Anna | Müller-Schmidt | anna.mueller-schmidt@acme.example
Laura | Bianchi | laura.bianchi@studio.example -> Laura | Rossi | laura.rossi@privata.example
Emily | Carter | ecarter@north.example -> Emily | Johnson | ejohnson@north.example
Jana | Nováková | jana.novakova@firma.example -> Jana | Svobodová | jana.svobodova@firma.example
Sofia | Andersson | sofia.andersson@bolag.example -> Sofia | Lindqvist | sofia.lindqvist@bolag.example
Priya | Sharma | priya.s@tech.example -> Priya | Mehta | priya.mehta@other.example
Catherine | Dubois | c.dubois@societe.example -> Catherine | Dubois Lefèvre | c.lefevre@societe.example
Ewa | Kowalska | ewa.kowalska@biuro.example -> Ewa | Kowalska-Nowak | ewa.nowak@biuro.example
John | Smith | john.smith@old.example -> John | Smith | jsmith@new.example
Jon | Smith | jon.smith@old.example -> John | Smith | john.smith@new.example
Jhon | Smith | jhon.smith@old.example -> John | Smith | john.smith@old.example
Micheal | Brown | micheal.brown@corp.example -> Michael | Brown | michael.brown@corp.example
Michael | Borwn | m.borwn@corp.example -> Michael | Brown | m.brown@corp.example
Bob | Miller | bob@garage.example -> Robert | Miller | robert.miller@factory.example
Bill | Gardner | bill.gardner@one.example -> William | Gardner | wgardner@two.example
Liz | Taylor | liz@mail.example -> Elizabeth | Taylor | elizabeth.taylor@corp.example
Peggy | Olson | peggy@agency.example -> Margaret | Olson | margaret.olson@agency.example
Chuck | Norris | chuck@ranch.example -> Charles | Norris | charles.norris@studio.example
Sasha | Petrov | sasha@mail.example -> Alexander | Petrov | a.petrov@zavod.example
Dima | Ivanov | dima.ivanov@mail.example -> Dmitry | Ivanov | dmitry.ivanov@corp.example
Pepe | García | pepe@casa.example -> José | García López | jose.garcia@empresa.example
Paco | Fernández | paco.f@casa.example -> Francisco | Fernández | ffernandez@empresa.example
Hans | Weber | hans@weber.example -> Johannes | Weber | j.weber@werk.example
Uli | Hoffmann | uli@verein.example -> Ulrich | Hoffmann | ulrich.hoffmann@verein.example
Gigi | Moretti | gigi.moretti@uno.example -> Luigi | Moretti | luigi.moretti@due.example
Kasia | Wiśniewska | kasia@poczta.example -> Katarzyna | Wiśniewska | k.wisniewska@firma.example
Иван | Петров | ivan.petrov@zavod.example -> Ivan | Petrov | i.petrov@factory.example
Сергей | Иванов | s.ivanov@zavod.example -> Sergey | Ivanov | sergey.ivanov@mail.example
Сергій | Шевченко | shevchenko@firma.example -> Serhii | Shevchenko | serhii@other.example
Юлия | Щербакова | yulia@mail.example -> Julia | Shcherbakova | julia.s@corp.example
Γιώργος | Παπαδόπουλος | gpap@etaireia.example -> Giorgos | Papadopoulos | giorgos@papadopoulos.example
Αλέξανδρος | Νικολάου | alexn@mail.example -> Alexandros | Nikolaou | a.nikolaou@corp.example
Łukasz | Żak | lukasz.zak@jeden.example -> Lukasz | Zak | lzak@dwa.example
Jørgen | Sørensen | jorgen@gammel.example -> Joergen | Soerensen | js@ny.example
Åse | Bjørnstad | ase.bjornstad@gammel.example -> Aase | Bjoernstad | aase@ny.example
Søren | Kjær | soren@kjaer.example -> Soeren | Kjaer | sk@firma.example
François | Lefèvre | francois.lefevre@ancien.example -> Francois | Lefevre | flefevre@nouveau.example
Zoë | de Vries | zoe@oud.example -> Zoe | Devries | z.devries@nieuw.example
İbrahim | Yılmaz | ibrahim@eski.example -> Ibrahim | Yilmaz | i.yilmaz@yeni.example
Nguyễn | Văn An | an.nguyen@cu.example -> An | Nguyen Van | nguyenvanan@moi.example
山田 | 太郎 | t.yamada@kaisha.example -> Taro | Yamada | taro.yamada@shin.example
李 | 娜 | lina88@post.example -> Na | Li | na.li@corp.example
王 | 伟 | wang.wei@alt.example -> Wei | Wang | wei.wang@neu.example
김 | 민준 | minjun.kim@yet.example -> Minjun | Kim | mjkim@sae.example
محمد | علي | mohammed.ali@qadim.example -> Mohammed | Ali | m.ali@jadid.example
דוד | כהן | david.cohen@yashan.example -> David | Cohen | dcohen@hadash.example
Smith | John | john.smith@one.example -> John | Smith | johns@two.example
Martin | Thomas | t.martin@un.example -> Thomas | Martin | thomas.martin@deux.example
John Smith | - | john.smith@one.example -> John | Smith | jsmith@two.example
Maria del Carmen | Ruiz | mcruiz@vieja.example -> Carmen | Ruiz | carmen.ruiz@nueva.example
Jean-Paul | Martin | jp.martin@ancien.example -> Jean Paul | Martin | jpmartin@nouveau.example
Karl-Heinz | Becker | kh.becker@alt.example -> Karlheinz | Becker | karlheinz.becker@neu.example
J. | Smith | j.smith@one.example -> John | Smith | john.smith@two.example
J | Doe | jdoe@one.example -> Jane | Doe | jane@two.example
Mary Ann | O'Brien | mobrien@old.example -> Mary | OBrien | mary.obrien@new.example
Seán | Ó Briain | sean@sean.example -> Sean | O'Briain | s.obriain@nua.example
Dr. Eva | Klein | eva.klein@klinik.example -> Eva | Klein | klein@praxis.example
Prof. Dr. Thomas | Wagner | t.wagner@uni.example -> Thomas | Wagner | thomas.wagner@institut.example
Robert | Downey Jr. | rdowney@old.example -> Robert | Downey | robert@downey.example
David | Lee | david.lee@startup.example -> David | Lee | david.lee@bigcorp.example
Sarah | Connor | sarah@startup.example -> Sara | Connor | sarah@bigcorp.example
Omar | Haddad | omar.haddad@old.example -> Omar | Haddad | omar@private.example
Yusuf | Demir | yusuf@eski.example -> Yousuf | Demir | y.demir@yeni.example
Mohamed | El Sayed | m.elsayed@old.example -> Mohammed | Elsayed | mohammed.elsayed@new.example
Stephen | Hawkes | stephen@hawkes.example -> Steven | Hawkes | s.hawkes@lab.example
Katherine | Johnson | kjohnson@old.example -> Kathryn | Johnson | kathryn.johnson@new.example
Philip | Meyer | philip.meyer@alt.example -> Philipp | Meier | p.meier@neu.example
Christian | Maier | c.maier@alt.example -> Christian | Mayer | christian.mayer@neu.example
TBD | TBD | booking@agency.example -> Jane | Doe | jane.doe@client.example
Guest | 1 | events@agency.example -> Peter | Parker | peter.parker@daily.example
Guest | Two | events@agency.example -> Mary | Watson | mary@daily.example
N. | N. | sekretariat@werk.example -> Karin | Vogel | karin.vogel@werk.example
Ticket | 3 | office@club.example -> Luca | Conti | luca.conti@club.example
Test | User | test@club.example -> Paul | Reed | paul.reed@club.example
xxx | xxx | xxx@club.example -> Ines | Santos | ines.santos@clube.example
Teilnehmer | 2 | anmeldung@verband.example -> Jörg | Seidel | j.seidel@verband.example
Sekretariat | Klein | eva.gross@werk.example -> Eva | Groß | e.gross@werk.example
Assistant of | Mr Bold | tim.bold@firm.example -> Tim | Bold | t.bold@firm.example
Company | GmbH | mira.lang@firma.example -> Mira | Lang | m.lang@firma.example
Alexandra | Costa | alexandra.costa@velho.example -> Alex | Costa | alex@novo.example
Max | Mustermann | max@muster.example -> Maximilian | Mustermann | maximilian.mustermann@muster.example
Tim | Berger | tim.berger@eins.example -> Timothy | Berger | tberger@zwei.example
Nick | Papas | nick@papas.example -> Nicholas | Papas | npapas@work.example
Wilhelm | Busch | w.busch@alt.example -> Willi | Busch | willi@busch.example
Jim | Halpert | jim@paper.example -> James | Halpert | james.halpert@sports.example
Gabriella | Ferri | gabriella@uno.example -> Gabriela | Ferri | g.ferri@due.example
Mathilde | Durand | mathilde.durand@ancien.example -> Matilde | Durand | mdurand@nouveau.example
Kristoffer | Berg | kristoffer@gammel.example -> Kristofer | Bergh | kbergh@ny.example
Oleksandr | Bondar | o.bondar@stara.example -> Alexander | Bondar | alex.bondar@nova.example
Volodymyr | Kovalenko | v.kovalenko@stara.example -> Vladimir | Kovalenko | vkovalenko@nova.example
Yevgeny | Sokolov | evgeny@mail.example -> Eugene | Sokolov | eugene.sokolov@corp.example
Andrei | Popescu | andrei@vechi.example -> Andrew | Popescu | andrew.popescu@nou.example
Jiří | Dvořák | jiri.dvorak@stary.example -> Jiri | Dvorak | dvorak@novy.example
Zdeněk | Černý | zdenek@stary.example -> Zdenek | Cerny | z.cerny@novy.example
Đorđe | Jovanović | djordje@stari.example -> Djordje | Jovanovic | d.jovanovic@novi.example
Björn | Ångström | bjorn@gammal.example -> Bjoern | Angstrom | b.angstrom@ny.example
Tom | Baker | tom.baker@gmial.example -> Tom | Bakker | tom.baker@gmail.example
Nina | Hall | nina.hal@one.example -> Nina | Halle | nina.halle@one.example
Rosa | Lux | sunny77@mail.example -> Rosalie | Luxemburg | sunny77@post.example
Terry | Jones | terry_jones@mail.example -> Theresa | Jones | theresa.jones@corp.example
Viktor | Orlov | viktor@mail.example -> Victor | Orloff | v.orloff@corp.example
Kenji | Sato | kenji.sato@furui.example -> Kenji | Satoh | k.satoh@atarashii.example
Aisha | Khan | aisha@old.example -> Ayesha | Khan | ayesha.khan@new.example
Lena | Fischer | lena.fischer@alt.example -> Magdalena | Fischer | m.fischer@neu.example
Sepp | Huber | sepp@huber.example -> Josef | Huber | josef.huber@bau.example
Beppe | Ricci | beppe@ricci.example -> Giuseppe | Ricci | giuseppe.ricci@azienda.example
Ted | Mosby | ted@mosby.example -> Theodore | Mosby | theodore.mosby@arch.example
Jack | Ryan | jack@ryan.example -> John | Ryan | john.ryan@agency.example
Ana María | Torres | amtorres@viejo.example -> Ana | Torres Vega | ana.torres@nuevo.example
Luis | Gómez | luis.gomez@viejo.example -> Luis Alberto | Gómez Ruiz | lagomez@nuevo.example
Mette | Hansen | mette.hansen@gammel.example -> Mette | Hansen Krogh | mette@krogh.example
Ingrid | van den Berg | i.vandenberg@oud.example -> Ingrid | Vandenberg | ingrid@nieuw.example
Olivia | Wilson | olivia.w@mail.example -> Olivia | Wilson | olivia.wilson@mail.example
`

export const HANDOVERS = `
Anna | Müller | anna.mueller@acme.example -> Peter | Schulz | peter.schulz@acme.example
Michael | Brown | mbrown@corp.example -> Sarah | Davis | sdavis@corp.example
Jane | Doe | jane.doe@client.example -> Omar | Haddad | omar.haddad@client.example
John | Smith | john.smith@one.example -> Wei | Chen | wei.chen@two.example
Emily | Carter | ecarter@north.example -> Liam | Nguyen | lnguyen@north.example
Sofia | Andersson | sofia.andersson@bolag.example -> Erik | Johansson | erik.johansson@bolag.example
Thomas | Weber | thomas.weber@mail.example -> Sabine | Weber | sabine.weber@mail.example
Giulia | Rossi | giulia.rossi@posta.example -> Marco | Rossi | marco.rossi@posta.example
David | Lee | david.lee@startup.example -> Grace | Lee | grace.lee@startup.example
Minjun | Kim | minjun.kim@corp.example -> Seoyeon | Kim | seoyeon.kim@corp.example
Ivan | Petrov | ivan.petrov@zavod.example -> Olga | Smirnova | olga.smirnova@zavod.example
Иван | Петров | ivan.petrov@zavod.example -> Ольга | Смирнова | olga.smirnova@zavod.example
Wang | Wei | wang.wei@corp.example -> Zhang | Min | zhang.min@corp.example
山田 | 太郎 | t.yamada@kaisha.example -> 鈴木 | 花子 | h.suzuki@kaisha.example
Priya | Sharma | priya.sharma@tech.example -> Rahul | Verma | rahul.verma@tech.example
Carlos | Fernández | cfernandez@empresa.example -> Lucía | Ortega | lortega@empresa.example
Pierre | Dubois | p.dubois@societe.example -> Claire | Moreau | c.moreau@societe.example
Jan | Kowalski | jan.kowalski@firma.example -> Agnieszka | Wójcik | agnieszka.wojcik@firma.example
Lars | Nielsen | lars.nielsen@firma.example -> Mette | Sørensen | mette.sorensen@firma.example
Fatima | Zahra | fatima.zahra@corp.example -> Youssef | Benali | youssef.benali@corp.example
Robert | Miller | rmiller@factory.example -> Jennifer | Wilson | jwilson@factory.example
James | Halpert | james.halpert@paper.example -> Dwight | Schrute | dwight.schrute@paper.example
Eva | Klein | eva.klein@klinik.example -> Tobias | Krause | tobias.krause@klinik.example
Hiroshi | Tanaka | hiroshi.tanaka@kaisha.example -> Yuki | Nakamura | yuki.nakamura@kaisha.example
Olivia | Wilson | olivia.wilson@mail.example -> Noah | Taylor | noah.taylor@post.example
Maria | Silva | maria.silva@empresa.example -> João | Pereira | joao.pereira@empresa.example
Elena | Popescu | elena.popescu@firma.example -> Mihai | Ionescu | mihai.ionescu@firma.example
Karin | Vogel | karin.vogel@werk.example -> Stefan | Brandt | stefan.brandt@werk.example
Paul | Reed | paul.reed@club.example -> Hannah | Cole | hannah.cole@club.example
Ahmed | Hassan | ahmed.hassan@corp.example -> Layla | Mansour | layla.mansour@corp.example
Tim | Berger | tim.berger@eins.example -> Nadine | Lorenz | nadine.lorenz@eins.example
Andrew | Clark | andrew.clark@bank.example -> Rebecca | Hughes | rebecca.hughes@bank.example
Ingrid | Berg | ingrid.berg@oud.example -> Pieter | Jansen | pieter.jansen@oud.example
Kenji | Sato | kenji.sato@furui.example -> Aiko | Ito | aiko.ito@furui.example
Luca | Conti | luca.conti@club.example -> Chiara | Greco | chiara.greco@club.example
Jörg | Seidel | j.seidel@verband.example -> Petra | Lindner | p.lindner@verband.example
Peter | Parker | peter.parker@daily.example -> Eddie | Brock | eddie.brock@daily.example
Zoe | Devries | z.devries@nieuw.example -> Bram | Bakker | b.bakker@nieuw.example
Sean | Murphy | sean.murphy@nua.example -> Aoife | Kelly | aoife.kelly@nua.example
Ibrahim | Yilmaz | ibrahim.yilmaz@yeni.example -> Zeynep | Kaya | zeynep.kaya@yeni.example
Viktor | Orlov | viktor.orlov@corp.example -> Natalia | Volkova | natalia.volkova@corp.example
Dora | Papas | dora.papas@etaireia.example -> Nikos | Georgiou | nikos.georgiou@etaireia.example
Ana | Torres | ana.torres@nuevo.example -> Diego | Romero | diego.romero@nuevo.example
Oscar | Lind | oscar.lind@ny.example -> Maja | Ekström | maja.ekstrom@ny.example
Rachel | Green | rachel.green@mode.example -> Monica | Geller | monica.geller@mode.example
Tom | Baker | tom.baker@who.example -> Jodie | Whittaker | jodie.whittaker@who.example
Simon | Fuchs | sfuchs@bau.example -> Lea | Hartmann | lhartmann@bau.example
Daniel | Craig | daniel.craig@mi.example -> Ralph | Fiennes | ralph.fiennes@mi.example
Vera | Lang | vera@lang.example -> Horst | Kaiser | horst@kaiser.example
Nina | Hall | nina.hall@one.example -> Gareth | Price | gareth.price@one.example
Helga | Stein | info@stein.example -> Uwe | Roth | info@roth.example
Claudia | Frank | events@firma.example -> Bernd | Ulm | bernd.ulm@firma.example
Jane | Doe | jane.doe@client.example -> Guest | 4 | events@agency.example
Carla | Bruni | carla.bruni@casa.example -> TBD | TBD | office@casa.example
Hans | Weber | hans.weber@mail.example -> Gisela | Weber | gisela.weber@mail.example
Mark | Evans | mark.evans@mail.example -> Lucy | Evans | lucy.evans@post.example
Sergey | Ivanov | sergey.ivanov@mail.example -> Anna | Ivanova | anna.ivanova@mail.example
Ngoc | Tran | ngoc.tran@moi.example -> Minh | Pham | minh.pham@moi.example
Kofi | Mensah | kofi.mensah@corp.example -> Ama | Owusu | ama.owusu@corp.example
Chinedu | Okafor | chinedu.okafor@corp.example -> Ngozi | Eze | ngozi.eze@corp.example
Matti | Virtanen | matti.virtanen@yritys.example -> Aino | Korhonen | aino.korhonen@yritys.example
Péter | Nagy | peter.nagy@ceg.example -> Eszter | Szabó | eszter.szabo@ceg.example
Goran | Horvat | goran.horvat@tvrtka.example -> Ivana | Babić | ivana.babic@tvrtka.example
Alex | Reid | alex.reid@north.example -> Morgan | Stone | morgan.stone@north.example
Chris | Young | chris.young@south.example -> Pat | Gibson | pat.gibson@south.example
Sam | Cooper | sam.cooper@east.example -> Robin | Webb | robin.webb@east.example
Jean | Martin | jean.martin@ouest.example -> Luc | Bernard | luc.bernard@ouest.example
Martin | Keller | martin.keller@sued.example -> Keller | Anton | anton.keller@sued.example
Li | Na | li.na@corp.example -> Chen | Jie | chen.jie@corp.example
Mohammed | Ali | mohammed.ali@jadid.example -> Khalid | Rahman | khalid.rahman@jadid.example
David | Cohen | david.cohen@hadash.example -> Noa | Levi | noa.levi@hadash.example
Grace | Hopper | ghopper@navy.example -> Alan | Turing | aturing@bletchley.example
Ada | Byron | ada@engine.example -> Charles | Babbage | charles@engine.example
Linus | Pauling | lp@chem.example -> Marie | Curie | mc@phys.example
Frank | Castle | 4711@corp.example -> Karen | Page | 4712@corp.example
Bruno | Maier | bruno.maier@alt.example -> Silvia | Graf | silvia.graf@neu.example
Ruth | Adler | ruth.adler@alt.example -> Otto | Winter | otto.winter@neu.example
Hugo | Boss | hugo.boss@mode.example -> Coco | Chanel | coco.chanel@mode.example
Nora | Ibsen | nora.ibsen@teater.example -> Henrik | Dahl | henrik.dahl@teater.example
Pedro | Alves | pedro.alves@velho.example -> Inês | Santos | ines.santos@novo.example
Yan | Zhao | yan.zhao@gongsi.example -> Hao | Liu | hao.liu@gongsi.example
Lukas | Bauer | lukas.bauer@alt.example -> Sophie | Bauer | sophie.bauer@alt.example
Felix | Sommer | felix.sommer@haus.example -> Jasmin | Winter | jasmin.winter@haus.example
Rosa | Parks | rosa.parks@bus.example -> Martin | King | martin.king@bus.example
Ellen | Ripley | ellen.ripley@ship.example -> Arthur | Dallas | arthur.dallas@ship.example
`

export interface Pair {
  readonly text: string
  readonly before: readonly [string, string, string]
  readonly after: readonly [string, string, string]
}

export function pairsOf(table: string): readonly Pair[] {
  return table
    .trim()
    .split('\n')
    .map((text) => {
      const [before = [], after = []] = text.split(' -> ').map((side) => side.split(' | '))
      return { text, before: before as unknown as Pair['before'], after: after as unknown as Pair['after'] }
    })
}
