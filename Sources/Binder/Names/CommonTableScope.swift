import QueryPlan
import SQLSyntax
import SQLTypes

/// One WITH entry, bound once and referenced any number of times.
final class CommonTable {
    let id: Int
    let name: String
    let definition: LogicalQuery
    /// Set for recursive ones.
    let recursion: LogicalRecursion?
    private(set) var uses = 0

    init(id: Int, name: String, definition: LogicalQuery, recursion: LogicalRecursion? = nil) {
        self.recursion = recursion
        self.id = id
        self.name = name
        self.definition = definition
    }

    func countUse() { uses += 1 }
}

/// WITH entries in scope: a chain from the newest to the oldest, so that a query sees only entries written before it.
final class CommonTableScope {
    let table: CommonTable
    let next: CommonTableScope?

    init(_ table: CommonTable, next: CommonTableScope?) {
        self.table = table
        self.next = next
    }

    func find(_ name: String) -> CommonTable? {
        var entry: CommonTableScope? = self
        while let current = entry {
            if current.table.name == name { return current.table }
            entry = current.next
        }
        return nil
    }
}
