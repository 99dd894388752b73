"""The stages that chains are made of, one file each; every stage takes a Turn and returns one."""
