/// What clients are told of a result's column besides its name and type.
package struct ColumnDetails: Hashable, Sendable {
    /// The column of a relation that it shows; nil for computed ones.
    package var origin: ColumnOrigin?
    /// `pg_type`'s oid of an array or vector, whose value is its text in plans; 0 for everything else.
    package var arrayID: Int32
    package init(origin: ColumnOrigin? = nil, arrayID: Int32 = 0) {
        self.origin = origin
        self.arrayID = arrayID
    }
}

/// A column of a table, a view or a system relation, by the names it had when the statement was bound.
package final class ColumnOrigin: Hashable, Sendable {
    package let relationID: Int64
    /// From 1, as `pg_attribute.attnum`.
    package let number: Int
    package let database: String
    package let schema: String
    package let relation: String
    package let column: String
    package let isNullable: Bool
    package let isIdentity: Bool

    package init(
        relationID: Int64, number: Int, database: String, schema: String, relation: String, column: String,
        isNullable: Bool = true, isIdentity: Bool = false
    ) {
        self.relationID = relationID
        self.number = number
        self.database = database
        self.schema = schema
        self.relation = relation
        self.column = column
        self.isNullable = isNullable
        self.isIdentity = isIdentity
    }

    package static func == (left: ColumnOrigin, right: ColumnOrigin) -> Bool {
        left.relationID == right.relationID && left.number == right.number && left.database == right.database
            && left.schema == right.schema && left.relation == right.relation && left.column == right.column
            && left.isNullable == right.isNullable && left.isIdentity == right.isIdentity
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(relationID)
        hasher.combine(number)
    }
}
