import Binder
import Catalog
import ColumnStore
import SQLSyntax
import SQLTypes

extension BoundDrop: StatementProgram {
    var kind: StatementKind { StatementKind("DROP \(noun.rawValue)") }
    var effects: StatementEffects {
        .definition(
            of: targets.compactMap { if case .object(.relation(.table(let table))) = $0 { table.id } else { nil } })
    }

    func check(_ rights: StatementRights) throws {
        for target in targets {
            switch target {
            case .object(let object): try check(object, rights)
            case .schema(let schema):
                if rights.session.has(system: "DROP SCHEMA") || rights.session.owns(schema.owner) { continue }
                if rights.session.privileges(on: schema, in: rights.catalog).contains(.drop) { continue }
                throw rights.notOwner("schema \(schema.name)")
            }
        }
    }

    private func check(_ object: CatalogObject, _ rights: StatementRights) throws {
        let session = rights.session
        if session.has(system: object.kind.facts.removal) || session.owns(object.owner) { return }
        if session.privileges(on: object, in: rights.catalog).contains(.drop) { return }
        if let schema = rights.catalog.schema(named: object.schema), session.owns(schema.owner) { return }
        throw rights.notOwner(of: object)
    }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws { try execution.drop(self) }
}

extension StatementExecution {
    fileprivate func drop(_ drop: BoundDrop) throws {
        for name in drop.missing {
            handler.notice(
                "INFO:  \(drop.noun.rawValue.capitalizedWord) \"\(name)\" does not exist and will be skipped")
        }
        try commit { catalog in
            let objects = drop.targets.compactMap { if case .object(let object) = $0 { object } else { nil } }
            let gone = Set(objects.map(\.id))
            for target in drop.targets {
                switch target {
                case .object(let object):
                    try self.remove(object, cascade: drop.cascade, besides: gone, from: &catalog)
                case .schema(let schema): try self.remove(schema, cascade: drop.cascade, from: &catalog)
                }
            }
            catalog.forgetAccessOfDropped()
        }
        try handler.end(tag: drop.kind.name)
    }

    /// With CASCADE everything that depends on the object goes as well, to any depth; of foreign keys only the
    /// constraint.
    ///
    /// - Parameter gone: what the same statement drops.
    func remove(
        _ object: CatalogObject, cascade: Bool, besides gone: Set<ObjectID>, from catalog: inout CatalogSnapshot
    ) throws {
        if let first = catalog.needs(of: object, besides: gone).first, !cascade {
            throw object.cannotBeDropped(because: first)
        }
        let dependents = catalog.dependents(of: object.id)
        let keys = object.kind == .table ? catalog.foreignKeys(to: object.id) : []
        catalog.remove(object)
        if case .copyJob(let job) = object, let record = catalog.relation(id: job.record) {
            catalog.removeRelation(schema: record.schema, name: record.name)
        }
        for (table, key) in keys where !gone.contains(table.id) {
            handler.notice("NOTICE:  drop cascades to constraint \(key.name) on table \(table.name)")
            guard case .table(var changed)? = catalog.relation(id: table.id) else { continue }
            changed.constraints.removeAll { $0.refers(to: object.id) }
            catalog.put(changed.object)
        }
        for dependent in dependents where catalog.object(id: dependent.id) != nil {
            if !gone.contains(dependent.id) {
                handler.notice("NOTICE:  drop cascades to \(dependent.kind.noun) \(dependent.title)")
            }
            try remove(dependent, cascade: true, besides: gone, from: &catalog)
        }
    }

    private func remove(_ schema: SchemaDefinition, cascade: Bool, from catalog: inout CatalogSnapshot) throws {
        let inside = catalog.objects(inSchema: schema.name)
        if !inside.isEmpty && !cascade {
            throw SQLError(
                .dependentObjects, "cannot drop schema \(schema.name) because other objects depend on it",
                hint: "Use DROP ... CASCADE to drop the dependent objects too.")
        }
        let gone = Set(inside.map(\.id))
        for object in inside where catalog.object(id: object.id) != nil {
            try remove(object, cascade: true, besides: gone, from: &catalog)
        }
        catalog.removeSchema(schema.name)
    }
}

extension String {
    fileprivate var capitalizedWord: String { prefix(1).uppercased() + dropFirst().lowercased() }
}
