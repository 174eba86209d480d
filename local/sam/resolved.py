"""Part of `make validate`, in SAM's own venv: what `sam local invoke` makes of every function's environment."""

import sys
from pathlib import Path

from samcli.commands.local.lib.local_lambda import LocalLambdaRunner
from samcli.lib.providers.sam_function_provider import SamFunctionProvider
from samcli.lib.providers.sam_stack_provider import SamLocalStackProvider

WANTED = {
    "DB_HOST": "host.docker.internal",
    "DB_PORT": "15432",
    "DB_AUTH": "password",
    "DB_PASSWORD": "of the local stack",
    "DB_SSLMODE": "disable",
    "OPENAI_API_KEY": "local",
    "OPENAI_BASE_URL": "http://host.docker.internal:8080/v1",
}
WITHOUT_DATABASE = ("Proxy", "Preview", "ChallengeFunction")


def main() -> int:
    stacks, _ = SamLocalStackProvider.get_stacks("template.yaml")
    provider = SamFunctionProvider(stacks, use_raw_codeuri=True)
    functions = {function.functionname or function.name: function for function in provider.get_all()}
    given = {function.name: WANTED for function in functions.values()}
    runner = LocalLambdaRunner(None, provider, str(Path.cwd()), env_vars_values=given, real_path="template.yaml")
    faults = []
    for function in functions.values():
        resolved = runner._make_env_vars(function).resolve()
        lacking = {name for name, value in WANTED.items() if resolved.get(name) != value}
        if lacking and function.name not in WITHOUT_DATABASE:
            faults.append(f"{function.name} does not get {', '.join(sorted(lacking))} from --env-vars")
    print("\n".join(faults) or f"sam local invoke gives {len(functions)} functions what env.json says")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
