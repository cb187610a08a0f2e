import Catalog
import Foundation
import Platform
import SQLTypes
import TestSupport
import Warehouse

/// A warehouse in a folder of its own, gone with the object.
final class ScratchWarehouse {
    let warehouse: Warehouse
    private let folder: String

    init(_ change: (inout WarehouseOptions) -> Void = { _ in }) throws {
        var options = WarehouseOptions()
        options.shape = ClusterShape(nodes: 1, slicesPerNode: 2)
        options.workers = 2
        options.synchronize = false
        options.memoryBytes = 256 << 20
        change(&options)
        folder = try ScratchFiles.makeFolder(in: "/tmp", name: "redbarn-world")
        warehouse = try Warehouse(directory: folder + "/warehouse", options: options)
    }

    deinit {
        warehouse.close()
        ScratchFiles.remove(folder)
    }
}

extension Session {
    /// The first column of a result as texts.
    func column(_ sql: String) throws -> [String] {
        let result = try query(sql)
        return result.rows.indices.map { result.text(row: $0, column: 0) ?? "NULL" }
    }
}

/// Whether something comes true before a test has lost its patience.
func comes(_ condition: () throws -> Bool) rethrows -> Bool {
    for _ in 0..<10_000 {
        if try condition() { return true }
        usleep(2_000)
    }
    return false
}
