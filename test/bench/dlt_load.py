"""Loads registrants and sessions of the bench's source into PostgreSQL with dlt, as a data team would.

usage: dlt_load.py SOURCE_URL DATABASE_URL FOLDER    (FOLDER: folder for the state of dlt; use the same one for an update)
"""

import sys

import dlt
from dlt.sources.helpers.rest_client import RESTClient
from dlt.sources.helpers.rest_client.paginators import PageNumberPaginator

source_url, database_url, folder = sys.argv[1:]
pages = PageNumberPaginator(base_page=1, page_param="page", total_path="_meta.pageCount")
source = RESTClient(f"{source_url}/api/v1", paginator=pages, data_selector="items")


def records(name: str):
    read = source.paginate(f"{name}.json", params={"per-page": 1000})
    return dlt.resource(read, name=name, primary_key="id", write_disposition="merge")


dlt.pipeline(
    "bench",
    pipelines_dir=folder,
    destination=dlt.destinations.postgres(database_url),
    dataset_name="loaded",
).run([records("sessions"), records("registrants")])
