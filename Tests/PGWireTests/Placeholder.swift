import PGWire
