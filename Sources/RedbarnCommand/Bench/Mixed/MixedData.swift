import SQLTypes
import Warehouse

/// The TPC-H tables that a mixed workload works on, and what it needs beside them.
struct MixedData {
    private let target: TPCHWarehouse
    private let scratch: String

    /// - Parameter scratch: a folder for the files that loads load.
    init(_ target: TPCHWarehouse, scratch: String) {
        self.target = target
        self.scratch = scratch
    }

    static func loadTable(_ number: Int) -> String { "bench_mixed_load_\(number)" }

    /// Fills in what depends on the data.
    func prepare(_ settings: inout MixedSettings) throws {
        settings.largest.customer = try number("select max(c_custkey) from customer")
        settings.largest.part = try number("select max(p_partkey) from part")
        settings.largest.supplier = try number("select max(s_suppkey) from supplier")
        settings.largest.order = try number("select max(o_orderkey) from orders")
        guard settings.loads > 0 else { return }
        settings.loadFiles = "\(scratch)/orders_"
        let files = LiteralText.quoted(settings.loadFiles)
        _ = try target.run("unload ('select * from orders where o_orderkey % 10 = 0') to \(files) delimiter '|'")
        for number in 0..<settings.loads {
            _ = try target.run("drop table if exists \(MixedData.loadTable(number))")
            _ = try target.run("create table \(MixedData.loadTable(number)) (like orders)")
        }
    }

    /// The warehouse is as before afterwards.
    func clean(_ settings: MixedSettings) throws {
        for number in 0..<settings.loads { _ = try target.run("drop table if exists \(MixedData.loadTable(number))") }
    }

    private func number(_ sql: String) throws -> Int {
        let result = try target.run(sql).result
        return (result.rows.isEmpty ? nil : result.text(row: 0, column: 0)).flatMap { Int($0) } ?? 1
    }
}
