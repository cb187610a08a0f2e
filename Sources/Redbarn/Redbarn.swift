// A program that embeds a warehouse needs one import: sessions, batches of columns, values and errors.
@_exported import ColumnVectors
@_exported import SQLTypes
@_exported import Warehouse
