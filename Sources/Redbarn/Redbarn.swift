@_exported import Warehouse
