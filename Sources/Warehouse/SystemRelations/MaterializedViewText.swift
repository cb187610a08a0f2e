import Catalog
import SQLTypes

import enum SQLSyntax.StoredText

extension TableDefinition {
    /// The whole statement that makes the materialized view, as catalogs and SHOW VIEW have it; nil for other tables.
    var materializedShownText: String? {
        guard let materialized else { return nil }
        var text = "create materialized view \(CatalogArray.quoted(schema)).\(CatalogArray.quoted(name))"
        text += materialized.isBackedUp ? "" : " backup no"
        switch distribution {
        case .auto: break
        case .even: text += " diststyle even"
        case .all: text += " diststyle all"
        case .key(let index): text += " distkey (\(CatalogArray.quoted(columns[index].name)))"
        }
        switch sortKey {
        case .none, .auto: break
        case .compound(let columns): text += " sortkey \(ConstraintRelations.list(columns, of: self))"
        case .interleaved(let columns): text += " interleaved sortkey \(ConstraintRelations.list(columns, of: self))"
        }
        text += materialized.refreshesAutomatically ? " auto refresh yes" : ""
        if materialized.namesColumns {
            text += " (" + columns.map { CatalogArray.quoted($0.name) }.joined(separator: ", ") + ")"
        }
        return text + " as \(StoredText.statementText(materialized.query));"
    }
}
