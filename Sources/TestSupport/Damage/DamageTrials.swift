import Catalog
import ColumnStore
import Foundation
import Platform
import SQLTypes
import Warehouse

/// Flips bits and cuts files of a small warehouse, one at a time, and looks what comes of it: the damage must be
/// found by whoever reads it, and by `redbarn doctor` in any case, or it must not matter. Never a wrong row, never a
/// trap.
package final class DamageTrials {
    package struct Outcome: Sendable {
        /// Reading said XX001 or refused to open.
        package var found = 0
        /// All rows came as they should.
        package var harmless = 0
        package var failures: [String] = []
    }

    private let folder: String
    private let pristine: String
    private let trial: String
    private let expected: [String]
    /// Without the last commit: where the damage looks like a write that a crash has cut off.
    private let withoutLast: [String]
    /// After each commit that only the log has: a file that ends early looks like one whose end was never written.
    private let prefixes: [[String]]
    private var random: SeededRandom
    private static let cutsPerHundred = 12
    private static let shownFailures = 20
    /// Damage may show as a wrong checksum, or as a format that is newer than the program.
    private static let expectedStates: Set<String> = ["XX001", "0A000"]

    package init(scratch: String, seed: UInt64) throws {
        folder = try ScratchFiles.makeFolder(in: scratch, name: "redbarn-damage")
        pristine = folder + "/pristine"
        trial = folder + "/trial"
        random = SeededRandom(seed: seed)
        let work = folder + "/work"
        try DamageTrials.execute(DamageTrials.script, in: work)
        // What follows is in the log when the process "ends".
        try DamageTrials.execute(DamageTrials.lateScript, in: work, saving: pristine)
        try FileManager.default.copyItem(atPath: pristine, toPath: trial)
        expected = try DamageTrials.contents(trial)
        let directory = pristine
        prefixes = try DamageTrials.lateScript.indices.map { try DamageTrials.contents(directory + "-\($0)") }
        withoutLast = prefixes[prefixes.count - 1]
        try restore()
    }

    deinit { ScratchFiles.remove(folder) }

    private static var options: WarehouseOptions {
        var options = WarehouseOptions()
        options.shape = ClusterShape(nodes: 2, slicesPerNode: 2)
        options.synchronize = false
        options.memoryBytes = 256 << 20
        return options
    }

    /// Every type and encoding, sorted and unsorted parts, deleted rows, copies on all nodes, views, identity values.
    private static let script = [
        """
        create table main (id bigint identity(1, 1), k integer encode az64, s varchar(40) encode lzo, \
        d date encode delta32k, n decimal(18, 4) encode mostly32, f float8 encode raw, b boolean encode runlength, \
        t varchar(20) encode bytedict, ts timestamp encode zstd) distkey (k) sortkey (k)
        """,
        "create table everywhere (code integer, name varchar(30)) diststyle all",
        "create table plain (a smallint, c char(5), r real, v varchar(200)) diststyle even",
        "create table empty (a integer, b varchar(5) default 'x')",
        "create view joined as select m.k, e.name from main m join everywhere e on m.k % 10 = e.code",
        "insert into everywhere select n, 'name ' || n from generate_series(0, 9) g(n)",
        """
        insert into main (k, s, d, n, f, b, t, ts) select n, 'text ' || (n % 37), \
        dateadd(day, n % 900, date '2020-01-01'), n * 1.25, n / 7.0, n % 3 = 0, 'value ' || (n % 5), \
        dateadd(second, n, timestamp '2021-05-05 00:00:00') \
        from generate_series(1, 1500) g(n)
        """,
        """
        insert into main (k, s, t) select n, case when n % 4 = 0 then null else repeat('ü', n % 9) end, null \
        from generate_series(2000, 2200) g(n)
        """,
        """
        insert into plain select n % 100, 'c' || n % 10, n * 0.5, repeat('long ', n % 30) \
        from generate_series(1, 400) g(n)
        """,
        "delete from main where k % 11 = 0",
        "update plain set v = 'changed' where a = 7",
        "alter table plain add column late integer default 42",
        "insert into plain values (1, 'x', 1.5, 'last', 43)",
    ]

    /// The last one is a commit of which no later record in the log says that it was acknowledged.
    private static let lateScript = [
        "insert into main (k, s, t) values (5000, 'late', 'x'), (5001, null, 'y')",
        "update plain set v = 'late' where a = 8",
        "create table after (k integer)",
        "delete from main where k = 5000",
    ]

    /// - Parameter saving: where the directory is copied to while the warehouse is open, and before each statement,
    ///   with its number as a suffix.
    private static func execute(_ statements: [String], in directory: String, saving copy: String? = nil) throws {
        let warehouse = try Warehouse(directory: directory, options: options)
        defer { warehouse.close() }
        let session = try warehouse.connect()
        for (index, statement) in statements.enumerated() {
            if let copy { try save(directory, as: copy + "-\(index)") }
            try session.query(statement)
        }
        if let copy { try save(directory, as: copy) }
        try session.close()
    }

    private static func save(_ directory: String, as copy: String) throws {
        try FileManager.default.copyItem(atPath: directory, toPath: copy)
        try FileManager.default.removeItem(atPath: copy + "/LOCK")
    }

    private static let questions = [
        "select * from main order by id", "select * from everywhere order by code",
        "select * from plain order by a, c, r, v, late", "select * from empty",
        "select count(*), sum(k) from joined where name like 'name%'",
        "select count(*), sum(n), max(ts), min(s), count(distinct t) from main where k > 700",
    ]

    private static func contents(_ directory: String) throws -> [String] {
        let warehouse = try Warehouse(directory: directory, options: options)
        defer { warehouse.close() }
        let session = try warehouse.connect()
        defer { try? session.close() }
        return try questions.flatMap { question in
            let result = try session.query(question)
            return [question] + ResultText.lines(result)
        }
    }

    // MARK: Trials

    package func run(_ count: Int) throws -> Outcome {
        var outcome = Outcome()
        let files = try names(pristine)
        let sizes = try files.map { try bytes(pristine + "/" + $0).count }
        for _ in 0..<count where outcome.failures.count < DamageTrials.shownFailures {
            let index = choose(sizes)
            if sizes[index] == 0 { continue }
            let good = try bytes(pristine + "/" + files[index])
            let (bad, text) = damaged(good)
            let isCut = bad.count < good.count
            try write(bad, to: trial + "/" + files[index])
            let hasOpened = check(files[index], text, isCut: isCut, &outcome)
            // Closing writes a checkpoint, opening may tidy up.
            if try hasOpened || names(trial) != files {
                try restore()
            } else {
                try write(good, to: trial + "/" + files[index])
            }
        }
        return outcome
    }

    /// Small files, with all that the others hang on, as often as large ones.
    private func choose(_ sizes: [Int]) -> Int {
        if random.next() % 2 == 0 { return Int(random.next() % UInt64(sizes.count)) }
        var place = Int(random.next() % UInt64(max(1, sizes.reduce(0, +))))
        for (index, size) in sizes.enumerated() {
            if place < size { return index }
            place -= size
        }
        return 0
    }

    private func damaged(_ good: Data) -> (Data, String) {
        if random.next() % 100 < UInt64(DamageTrials.cutsPerHundred) {
            let length = Int(random.next() % UInt64(good.count))
            return (good.prefix(length), "cut from \(good.count) to \(length) bytes")
        }
        let place = Int(random.next() % UInt64(good.count))
        let bit = UInt8(random.next() % 8)
        var bad = good
        bad[bad.startIndex + place] ^= 1 << bit
        return (bad, "bit \(bit) of byte \(place) of \(good.count)")
    }

    /// True when the warehouse could be opened and read.
    private func check(_ file: String, _ what: String, isCut: Bool, _ outcome: inout Outcome) -> Bool {
        let text = "\(file): \(what)"
        // First, because opening may tidy up.
        let isReported = doctorReports()
        // What past statements did is no data: reading a file of it ends at the first record that its checksum refuses.
        if !isReported && !file.hasPrefix("log/") && !file.hasPrefix("history/") {
            outcome.failures.append("\(text): the inspection reports nothing")
        }
        do {
            let rows = try DamageTrials.contents(trial)
            if rows == expected {
                outcome.harmless += 1
            } else if file.hasPrefix("log/"),
                isCut ? prefixes.contains(rows) : isReported && rows == withoutLast
            {
                outcome.found += 1
            } else {
                let difference = ResultDifference.text(expected: expected, actual: rows)
                outcome.failures.append("\(text): wrong rows\(difference)")
            }
            return true
        } catch let error as SQLError {
            outcome.found += 1
            if !DamageTrials.expectedStates.contains(error.state.code) {
                outcome.failures.append("\(text): \(TestScriptRunner.describe(error))")
            }
        } catch {
            outcome.failures.append("\(text): foreign error \(error)")
        }
        return false
    }

    private func doctorReports() -> Bool {
        do {
            let found = try WarehouseInspection(directory: trial, budget: MemoryBudget(limit: 256 << 20))
            return !found.problems.isEmpty || found.log.broken != nil
        } catch {
            return true
        }
    }

    // MARK: Files

    private func names(_ directory: String) throws -> [String] {
        guard let walker = FileManager.default.enumerator(atPath: directory) else { return [] }
        return walker.compactMap { $0 as? String }.filter { name in
            var isFolder: ObjCBool = false
            let exists = FileManager.default.fileExists(atPath: directory + "/" + name, isDirectory: &isFolder)
            return exists && !isFolder.boolValue && name != "LOCK"
        }.sorted()
    }

    private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }
    private func write(_ data: Data, to path: String) throws { try data.write(to: URL(fileURLWithPath: path)) }

    private func restore() throws {
        ScratchFiles.remove(trial)
        try FileManager.default.copyItem(atPath: pristine, toPath: trial)
    }
}
