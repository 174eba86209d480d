"""What `sam local invoke` needs to run the functions on the local stack."""
