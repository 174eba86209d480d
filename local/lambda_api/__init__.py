"""AWS Lambda on one machine: the Invoke API, the Runtime API and a process per execution environment."""
