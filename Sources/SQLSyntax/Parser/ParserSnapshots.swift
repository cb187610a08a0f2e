import SQLTypes

/// CREATE, DROP and RESTORE of snapshots, RESIZE CLUSTER.
extension Parser {
    /// Behind CREATE.
    mutating func createSnapshot(_ start: Int) throws -> SnapshotStatement {
        try expect(.snapshot)
        return SnapshotStatement(name: try name(), action: .create, position: position(of: start))
    }

    /// Behind DROP.
    mutating func dropSnapshot(_ start: Int) throws -> SnapshotStatement {
        try expect(.snapshot)
        let ifExists = try ifExists()
        return SnapshotStatement(name: try name(), action: .drop(ifExists: ifExists), position: position(of: start))
    }

    /// `RESTORE SNAPSHOT s`, `RESTORE TABLE t FROM SNAPSHOT s [AS new]`.
    mutating func restore() throws -> SnapshotStatement {
        let place = position
        try expect(.restore)
        if take(.snapshot) { return SnapshotStatement(name: try name(), action: .restore, position: place) }
        try expect(.table)
        let table = try objectName()
        try expect(.from, .snapshot)
        let name = try name()
        let newName = take(.as) ? try objectName() : nil
        return SnapshotStatement(name: name, action: .restoreTable(table, newName: newName), position: place)
    }

    /// `RESIZE CLUSTER TO 2 NODES [4 SLICES]`, the slices of one node.
    mutating func resize() throws -> ResizeStatement {
        let place = position
        advance()
        guard take(word: "cluster") else { throw syntaxError() }
        try expect(.to)
        let nodes = try integer()
        guard take(word: "nodes") || take(word: "node") else { throw syntaxError() }
        var slices: Int64?
        if at(.integer) {
            slices = try integer()
            guard take(word: "slices") || take(word: "slice") else { throw syntaxError() }
        }
        return ResizeStatement(nodes: nodes, slices: slices, position: place)
    }
}
