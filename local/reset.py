"""`python -m local.reset`: removes a data directory and its database, so that the next start makes new ones."""

import shutil

from local.failure import LocalError, run_command
from local.postgres_cluster import has_cluster, remove_cluster
from local.settings import read_settings
from local.stack import exclusive


def main() -> None:
    data_dir = read_settings().data_dir.resolve()
    # Nothing that is not a data directory is ever removed, whatever DATA_DIR says.
    if not has_cluster(data_dir):
        raise LocalError(f"{data_dir} holds no database, so there is nothing to remove.")
    with exclusive(data_dir):
        remove_cluster(data_dir)
        shutil.rmtree(data_dir)
    print(f"{data_dir} and its database are removed; `make serve` makes new ones with the sample data.")


if __name__ == "__main__":
    run_command(main)
