import Catalog
import ColumnStore

/// Which relations' column defaults and comments a user may see: those on which the user has any right. Names and types
/// of columns are everybody's, as in PostgreSQL's catalogs; what their owner has written there is not.
struct DefinitionVisibility: Sendable {
    /// nil: all are shown.
    private let rights: AccessRights?
    private let catalog: CatalogSnapshot

    init(_ snapshot: SystemSnapshot) {
        catalog = snapshot.store.catalog
        if snapshot.account.isSuperuser {
            rights = nil
        } else {
            let rights = snapshot.rights
            self.rights = rights.has(system: "ACCESS CATALOG") ? nil : rights
        }
    }

    func shows(_ relation: Relation) -> Bool {
        guard let rights else { return true }
        return rights.owns(relation.owner) || !rights.privileges(on: relation, in: catalog).isEmpty
            || rights.hasColumnPrivileges(relation)
    }
    func shows(_ table: TableDefinition) -> Bool { shows(.table(table)) }
}
