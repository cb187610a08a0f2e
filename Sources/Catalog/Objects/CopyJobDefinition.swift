import SQLTypes

/// A COPY that is run whenever there are new files: auto-copy. Names are those of a database; the schema is that of the
/// table at the time.
package struct CopyJobDefinition: ObjectDefinition, Hashable {
    /// Where tables with the files of jobs live.
    package static let recordSchema = "pg_copy_job"

    package var id: ObjectID
    package var schema: String
    package var name: String
    /// The table that it loads.
    package var table: ObjectID
    /// The table that says which files have been loaded.
    package var record: ObjectID
    package var source: String
    /// The COPY as it was written, without JOB.
    package var text: String
    package var isAutomatic: Bool
    package var createdMicroseconds: Int64
    package var references: [ObjectReference]
    package var owner: Int
    package var comment: String?
    package init(
        id: ObjectID, schema: String, name: String, table: ObjectID, record: ObjectID, source: String, text: String,
        isAutomatic: Bool, createdMicroseconds: Int64, references: [ObjectReference], owner: Int,
        comment: String? = nil
    ) {
        self.id = id
        self.schema = schema
        self.name = name
        self.table = table
        self.record = record
        self.source = source
        self.text = text
        self.isAutomatic = isAutomatic
        self.createdMicroseconds = createdMicroseconds
        self.references = references
        self.owner = owner
        self.comment = comment
    }

    package var kind: ObjectKind { .copyJob }
    package var object: CatalogObject { .copyJob(self) }
    package var columnIDs: [Int32] { [] }
}
