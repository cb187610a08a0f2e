/// An object that another one's text names: what it was called, and which columns it had, when the text was written. By
/// this the text keeps its meaning: after renames, in other search paths, and when the object gets further columns.
package struct ObjectReference: Hashable, Sendable {
    package struct Column: Hashable, Sendable {
        /// As privileges count columns (``ObjectDefinition/columnIDs``).
        package var id: Int32
        package var name: String
        /// The text computes with it or returns it, so that it cannot be dropped alone.
        package var isUsed: Bool
        package init(id: Int32, name: String, isUsed: Bool) {
            self.id = id
            self.name = name
            self.isUsed = isUsed
        }
    }

    package var object: ObjectID
    /// Where the object was when the text was written, and whether the text says so.
    package var schema: String
    package var isQualified: Bool
    /// As it was written. Empty in definitions that older versions wrote: then the object's present name counts.
    package var name: String
    /// In their order at the time. Empty where only the object counts.
    package var columns: [Column]
    package init(object: ObjectID, schema: String, isQualified: Bool, name: String, columns: [Column]) {
        self.object = object
        self.schema = schema
        self.isQualified = isQualified
        self.name = name
        self.columns = columns
    }

    /// As older versions kept it: the id alone.
    package init(unnamed object: ObjectID) {
        self.init(object: object, schema: "", isQualified: false, name: "", columns: [])
    }

    package var isNamed: Bool { !name.isEmpty }

    /// Whether the object cannot lose the column without the text.
    package func uses(column: Int32) -> Bool {
        columns.isEmpty || columns.contains { $0.id == column && $0.isUsed }
    }
}
