"""What a tool is: its contract, who calls it, its failures, and the runtime around its handler."""
