"""`make emulated`: the template, transformed and built, is created, released and deleted on an AWS emulator."""
