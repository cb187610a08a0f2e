/// Identifies schemas and what lives in them for ever; never reused within a warehouse.
package struct ObjectID: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let raw: Int64
    package init(_ raw: Int64) { self.raw = raw }
    package static func < (a: ObjectID, b: ObjectID) -> Bool { a.raw < b.raw }
    package var description: String { String(raw) }
}
