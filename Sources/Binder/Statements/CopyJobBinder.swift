import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// COPY ... JOB CREATE and COPY JOB.
extension StatementBinder {
    func bindCopyJob(_ node: CopyJobStatement) throws -> BoundCopyJob {
        switch node.action {
        case nil: return .list
        case .create(let copy, let isAutomatic)?: return .create(try bindCreation(node, copy, isAutomatic))
        case .alter(let isAutomatic)?: return .alter(try job(node), isAutomatic: isAutomatic)
        case .show?: return .show(try job(node))
        case .run?: return .run(try job(node))
        case .drop?: return .drop(try job(node))
        }
    }

    private func job(_ node: CopyJobStatement) throws -> CopyJobDefinition {
        if let job = session.catalog.copyJobs[node.name.text] { return job }
        throw SQLError(.undefinedObject, "copy job \"\(node.name)\" does not exist", at: node.name.position)
    }

    private func bindCreation(
        _ node: CopyJobStatement, _ copy: CopyStatement, _ isAutomatic: Bool
    ) throws -> BoundCreateCopyJob {
        let bound = try bindCopy(copy)
        let table = bound.table
        if table.isTemporary {
            throw SQLError(
                .featureNotSupported, "copy jobs of temporary tables are not supported", at: copy.table.position)
        }
        if node.name.text.utf8.count > 127 {
            throw SQLError("42622", "the name of a copy job has at most 127 bytes", at: node.name.position)
        }
        // Columns that the job does not name may go without it.
        let listed = copy.columns.isEmpty ? [] : Set(bound.columns)
        let columns = table.columns.enumerated().map { index, column in
            ObjectReference.Column(id: column.id, name: column.name, isUsed: listed.contains(index))
        }
        let reference = ObjectReference(
            object: table.id, schema: table.schema, isQualified: true, name: table.name, columns: columns)
        let definition = CopyJobDefinition(
            id: ObjectID(0), schema: table.schema, name: node.name.text, table: table.id, record: ObjectID(0),
            source: copy.source ?? "", text: SQLPrinter.print(.copy(copy)), isAutomatic: isAutomatic,
            createdMicroseconds: 0, references: [reference], owner: session.settings.user.id)
        return BoundCreateCopyJob(definition: definition, copy: bound, position: node.name.position.offset)
    }
}

package enum BoundCopyJob: Sendable {
    case create(BoundCreateCopyJob)
    case alter(CopyJobDefinition, isAutomatic: Bool)
    case show(CopyJobDefinition)
    case run(CopyJobDefinition)
    case drop(CopyJobDefinition)
    case list
}

package struct BoundCreateCopyJob: Sendable {
    /// Without ids and time.
    package var definition: CopyJobDefinition
    /// What would run now.
    package var copy: BoundCopy
    /// Of the name.
    package var position: Int?
}
