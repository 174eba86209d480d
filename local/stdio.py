"""`python -m local.stdio`: the MCP server over standard input and output, for clients that spawn a process.

Uses the stack of DATA_DIR if one is running, else starts one that ends with this process. Standard output
carries MCP and nothing else.
"""

import os
import sys

from local.environment import child_base, proxy_environment
from local.failure import LocalError
from local.files import ROOT, add_import_roots
from local.settings import read_settings
from local.stack import Stack, await_ready, running, spawn, stop
from local.tenants import tenant_of


def main() -> None:
    add_import_roots()
    try:
        settings = read_settings(os.environ)
        stack = running(settings.data_dir)
        if stack is not None:
            sys.exit(_serve(stack, tenant=tenant_of(settings, stack)))
        process = spawn(settings.data_dir, port=0, environment=os.environ, output=sys.stderr)
        try:
            stack = await_ready(process, settings.data_dir)
            code = _serve(stack, tenant=stack.tenant)
        finally:
            stop(process)
        sys.exit(code)
    except LocalError as failure:
        sys.exit(str(failure))


def _serve(stack: Stack, *, tenant: str) -> int:
    served = stack.model_copy(update={"tenant": tenant})
    variables = proxy_environment(served, host="127.0.0.1", port=0)
    os.environ.update({**child_base(os.environ, data_dir=stack.data_dir), **variables})
    os.environ.setdefault("MANIFEST_PATH", str(ROOT / "proxy" / "manifest.json"))
    from proxy.__main__ import main as serve  # 0.6 s, and it reads the environment set above

    return serve(["--stdio"])


if __name__ == "__main__":
    main()
