import { synced } from './traps.ts'
import { type TrapOfA, trapsOfA } from './traps-of-a.ts'
import { type TrapOfB, trapsOfB } from './traps-of-b.ts'

const leftOut = synced({ linkUrls: undefined }, 'left_out:linkUrls')
const none = synced({ linkUrls: undefined })
const ab = synced({ linkUrls: ['https://x.example/a', 'http://x.example/b'] })
const links = (Links: unknown) => ({ session: { Links } })

const ofSessions: readonly TrapOfA[] = [
  { name: 'Links of null are none', ...links(null), agenda: none },
  { name: 'Links that are absent are none', ...links(undefined), agenda: none },
  { name: 'blank Links are none', ...links(' '), agenda: none },
  { name: 'an empty list of Links is none', ...links([]), agenda: none },
  {
    name: 'Links as one URL',
    ...links('https://x.example/a'),
    agenda: synced({ linkUrls: ['https://x.example/a'] }),
  },
  { name: 'Links as a list of URLs', ...links(['https://x.example/a', 'http://x.example/b']), agenda: ab },
  {
    name: 'Links keep the order of the source',
    ...links(['https://x.example/z', 'https://x.example/a']),
    agenda: synced({ linkUrls: ['https://x.example/z', 'https://x.example/a'] }),
  },
  {
    name: 'Links as objects with Url, Link or Href, in any case',
    ...links([
      { Url: 'https://x.example/u', Title: 'Slides' },
      { link: 'https://x.example/l' },
      { HREF: 'https://x.example/h' },
    ]),
    agenda: synced({ linkUrls: ['https://x.example/u', 'https://x.example/l', 'https://x.example/h'] }),
  },
  {
    name: 'Links as a text that is a JSON list',
    ...links('["https://x.example/a","http://x.example/b"]'),
    agenda: ab,
  },
  {
    name: 'Links as a text that is a JSON list of objects',
    ...links('[{"Url":"https://x.example/a"},{"Href":"http://x.example/b"}]'),
    agenda: ab,
  },
  {
    name: 'Links as a text that is a JSON object',
    ...links('{"Url":"https://x.example/a"}'),
    agenda: synced({ linkUrls: ['https://x.example/a'] }),
  },
  { name: 'Links with a blank between', ...links('https://x.example/a http://x.example/b'), agenda: ab },
  { name: 'Links with a comma between', ...links('https://x.example/a,http://x.example/b'), agenda: ab },
  {
    name: 'Links with a semicolon and a blank between',
    ...links('https://x.example/a; http://x.example/b'),
    agenda: ab,
  },
  { name: 'Links with a bar between', ...links('https://x.example/a|http://x.example/b'), agenda: ab },
  {
    name: 'Links with line breaks between',
    ...links('https://x.example/a\r\nhttp://x.example/b\n'),
    agenda: ab,
  },
  {
    name: 'a comma, semicolon or bar within a URL does not split it',
    ...links('https://x.example/a,b;c|d?e=1;f=2'),
    agenda: synced({ linkUrls: ['https://x.example/a,b;c|d?e=1;f=2'] }),
  },
  {
    name: 'repeats in Links are dropped',
    ...links([
      'https://x.example/a',
      { Url: 'https://x.example/a' },
      ' https://x.example/a ',
      'http://x.example/b',
    ]),
    agenda: ab,
  },
  {
    name: 'null and blank elements of Links are not there',
    ...links([null, '', 'https://x.example/a', ' ', 'http://x.example/b']),
    agenda: ab,
  },
  {
    name: 'HTTPS:// is https://',
    ...links('HTTPS://X.example/A'),
    agenda: synced({ linkUrls: ['HTTPS://X.example/A'] }),
  },
  {
    name: 'a link of another scheme is left out, and marked',
    ...links('javascript:alert(1)'),
    agenda: leftOut,
  },
  { name: 'a link without a scheme is left out, and marked', ...links('www.x.example/a'), agenda: leftOut },
  {
    name: 'a link with white space is left out, and marked',
    ...links(['https://x.example/a b']),
    agenda: leftOut,
  },
  { name: 'words are no link: left out, and marked', ...links('ask at the desk'), agenda: leftOut },
  {
    name: 'of several links only those that are none are left out',
    ...links(['ftp://x.example/f', 'https://x.example/a', 'mailto:a@x.example', 'http://x.example/b']),
    agenda: synced({ linkUrls: ['https://x.example/a', 'http://x.example/b'] }, 'left_out:linkUrls'),
  },
]

/** A speaker with these profile fields, who is synced with those platform fields. */
const speaker = (
  name: string,
  user: object,
  fields: Parameters<typeof synced>[0],
  detail?: string,
): TrapOfA => ({
  name,
  user: { ...user },
  speakers: synced(fields, detail),
})
const image = (name: string, PhotoLink: unknown, imageUrl: string | undefined, detail?: string) =>
  speaker(name, { PhotoLink }, { imageUrl }, detail)
const facebook = (name: string, Facebook: unknown, facebookUrl: string | undefined, detail?: string) =>
  speaker(name, { Facebook }, { facebookUrl }, detail)
const linkedin = (name: string, LinkedIn: unknown, linkedinUrl: string | undefined, detail?: string) =>
  speaker(name, { LinkedIn }, { linkedinUrl }, detail)

const ofSpeakers: readonly TrapOfA[] = [
  image('a PhotoLink that is an https URL', 'https://x.example/p.png', 'https://x.example/p.png'),
  image('a PhotoLink that is an http URL, blanks around it', ' http://x.example/p ', 'http://x.example/p'),
  image('a PhotoLink of null is none', null, undefined),
  image('a PhotoLink that is a path is left out, and marked', '/p.png', undefined, 'left_out:imageUrl'),
  image(
    'a PhotoLink without a scheme is left out, and marked',
    'x.example/p',
    undefined,
    'left_out:imageUrl',
  ),
  image(
    'a PhotoLink that is data is left out, and marked',
    'data:image/png;base64,AA',
    undefined,
    'left_out:imageUrl',
  ),
  image(
    'a PhotoLink with white space is left out, and marked',
    'https://x.example/p q',
    undefined,
    'left_out:imageUrl',
  ),
  image(
    'a PhotoLink that is an object is no text, and marked',
    { Url: 'https://x.example/p' },
    undefined,
    'not_text:imageUrl',
  ),

  facebook('Facebook as a handle becomes a URL', 'tide.water-9_x', 'https://www.facebook.com/tide.water-9_x'),
  facebook('Facebook as a host with a path gets https://', 'facebook.com/tide', 'https://facebook.com/tide'),
  facebook(
    'Facebook as a subdomain gets https://',
    'm.facebook.com/tide?ref=x',
    'https://m.facebook.com/tide?ref=x',
  ),
  facebook(
    'Facebook as a URL stays as it is',
    'http://www.facebook.com/tide/',
    'http://www.facebook.com/tide/',
  ),
  facebook(
    'Facebook as a URL of another host stays as it is',
    'https://x.example/tide',
    'https://x.example/tide',
  ),
  facebook(
    'Facebook as another host without https:// is left out, and marked',
    'x.example/tide',
    undefined,
    'left_out:facebookUrl',
  ),
  facebook(
    'Facebook as a host that only ends like the site is left out',
    'notfacebook.com/tide',
    undefined,
    'left_out:facebookUrl',
  ),
  facebook(
    'Facebook as a host that only begins like the site is left out',
    'facebook.com.x.example/t',
    undefined,
    'left_out:facebookUrl',
  ),
  facebook('Facebook as words is left out, and marked', 'ask me!', undefined, 'left_out:facebookUrl'),
  facebook('Facebook as a handle with @ is left out, and marked', '@tide', undefined, 'left_out:facebookUrl'),
  facebook(
    'Facebook as a URL with white space is left out',
    'https://facebook.com/a b',
    undefined,
    'left_out:facebookUrl',
  ),
  facebook('Facebook as blank text is none', ' ', undefined),
  facebook('Facebook as a list is no text, and marked', ['tide'], undefined, 'not_text:facebookUrl'),

  linkedin('LinkedIn as a handle becomes a URL', 'tide-water_9', 'https://www.linkedin.com/in/tide-water_9'),
  linkedin(
    'LinkedIn as a subdomain gets https://',
    'au.linkedin.com/in/tide',
    'https://au.linkedin.com/in/tide',
  ),
  linkedin(
    'LinkedIn as a host with a path gets https://',
    'linkedin.com/in/tide',
    'https://linkedin.com/in/tide',
  ),
  linkedin(
    'LinkedIn as a URL stays as it is',
    'http://www.linkedin.com/in/t/',
    'http://www.linkedin.com/in/t/',
  ),
  linkedin('LinkedIn as a path alone is left out, and marked', 'in/tide', undefined, 'left_out:linkedinUrl'),
  linkedin(
    'LinkedIn as a host that only ends like the site is left out',
    'evil-linkedin.com/in/x',
    undefined,
    'left_out:linkedinUrl',
  ),
  linkedin(
    'LinkedIn as the other site is left out, and marked',
    'facebook.com/tide',
    undefined,
    'left_out:linkedinUrl',
  ),

  speaker(
    'the Twitter of a user of Source A is no field of the platform',
    { Twitter: '@tide' },
    { twitter: undefined },
  ),
]

const twitter = (
  name: string,
  twitter_handle: unknown,
  handle: string | undefined,
  detail?: string,
): TrapOfB => ({
  name,
  registrant: { twitter_handle },
  speakers: synced({ twitter: handle }, detail),
})

const ofRegistrants: readonly TrapOfB[] = [
  twitter('a twitter_handle', 'tide_water', 'tide_water'),
  twitter('a twitter_handle loses its @', '@tide', 'tide'),
  twitter('a twitter_handle that is a URL gives its last segment', 'https://twitter.com/tide', 'tide'),
  twitter('a twitter_handle that is a URL loses its query', 'http://twitter.com/tide?lang=en', 'tide'),
  twitter('a twitter_handle that is a URL with a slash at its end', 'https://x.com/tide//', 'tide'),
  twitter(
    'a twitter_handle that is a URL of several segments gives the last',
    'https://x.com/i/tide',
    'tide',
  ),
  twitter('a twitter_handle that is a URL with @ loses both', 'https://x.com/@tide/', 'tide'),
  twitter('a twitter_handle that is @ alone is left out, and marked', '@', undefined, 'left_out:twitter'),
  twitter(
    'a twitter_handle that is a URL without a path is left out',
    'https://x.com',
    undefined,
    'left_out:twitter',
  ),
  twitter(
    'a twitter_handle that is a URL with a query alone is left out',
    'https://x.com/?a=b',
    undefined,
    'left_out:twitter',
  ),
  twitter('a blank twitter_handle is none', '', undefined),
  twitter('a twitter_handle that is a boolean is no text, and marked', true, undefined, 'not_text:twitter'),
]

trapsOfA('Links of sessions', {}, ofSessions)
trapsOfA('URLs of speakers of Source A', {}, ofSpeakers)
trapsOfB('twitter_handle of registrants', {}, ofRegistrants)
