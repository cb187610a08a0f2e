import Catalog
import ColumnStore
import Platform

/// The relations of one snapshot in order and by oid: made once for all questions about that snapshot, for a warehouse
/// may have many thousands of tables and a tool asks many questions.
final class CatalogList: Sendable {
    /// By schema and name.
    let relations: [Relation]
    let byID: [Int: Relation]
    /// Some belong to single sessions.
    let hasTemporary: Bool

    init(_ catalog: CatalogSnapshot) {
        relations = catalog.allRelations
        byID = Dictionary(relations.map { (Int($0.id.raw), $0) }, uniquingKeysWith: { first, _ in first })
        hasTemporary = catalog.schemas.keys.contains { $0.hasPrefix(Session.temporarySchemaPrefix) }
    }
}

/// Keeps the lists of the newest snapshot that was asked for, one for each database. Safe from any thread.
final class CatalogLists: Sendable {
    private struct State: Sendable {
        weak var snapshot: StoreSnapshot?
        var lists: [ObjectID: CatalogList] = [:]
    }
    private let state = Lock(State())

    func list(_ snapshot: StoreSnapshot) -> CatalogList {
        let database = snapshot.catalog.databaseID
        let known = state.withLock { $0.snapshot === snapshot.state ? $0.lists[database] : nil }
        if let known { return known }
        let made = CatalogList(snapshot.catalog)
        state.withLock { state in
            if state.snapshot !== snapshot.state { state = State(snapshot: snapshot.state) }
            state.lists[database] = made
        }
        return made
    }
}
