import Glibc
import Platform
import SQLTypes
import Synchronization
import TestSupport
import Testing
import Warehouse

/// A crash after any operation on the disk, whatever it leaves of what was not synchronised: the next start finds what
/// was acknowledged, and nothing but that and what was under way.
///
/// REDBARN_DURABILITY=long tries every operation; otherwise some of each workload, other ones for each.
@Suite struct CrashTests {
    static let isLong = getenv("REDBARN_DURABILITY").map { String(cString: $0) == "long" } ?? false

    @Test(arguments: Workload.all) func everyPrefixHasTheAcknowledgedCommits(_ workload: Workload) throws {
        let (journal, states) = try record(workload)
        let stride = CrashTests.isLong ? 1 : 9
        let shift = workload.name.utf8.reduce(0) { $0 &+ Int($1) } % stride
        var model = DiskModel()
        var acknowledged = -1
        for (number, operation) in journal.enumerated() {
            if acknowledged >= 0 && number % stride == shift {
                for (loss, image) in CrashTests.images(model, operation, seed: UInt64(number)) {
                    try check(image, workload, states, acknowledged, "operation \(number), \(loss)")
                }
            }
            model.apply(operation)
            if case .mark(let state) = operation { acknowledged = state }
        }
        for (loss, image) in CrashTests.images(model, .mark(0), seed: 1) {
            try check(image, workload, states, states.count - 1, "the end, \(loss)")
        }
    }

    /// What may be on the disk when the power goes during an operation.
    static func images(
        _ model: DiskModel, _ operation: DiskModel.Operation, seed: UInt64
    ) -> [(String, DiskModel)] {
        var images: [(String, DiskModel)] = [
            ("nothing lost", model.crashed(.nothing)), ("unsynchronised lost", model.crashed(.unsynchronized)),
            ("some lost", model.crashed(.random(seed: seed))), ("others lost", model.crashed(.random(seed: ~seed))),
        ]
        guard case .write(let inode, let offset, let bytes) = operation else { return images }
        // The last write is torn at a border of 512 bytes.
        var borders: [Int] = []
        var border = (offset / 512 + 1) * 512
        while border < offset + bytes.count {
            borders.append(border - offset)
            border += 512
        }
        if !isLong && borders.count > 3 {
            borders = [borders[0], borders[borders.count / 2], borders[borders.count - 1]]
        }
        for length in borders {
            var torn = model
            torn.apply(.write(inode: inode, offset: offset, bytes: Array(bytes[..<length])))
            images.append(("torn after \(length) bytes", torn.crashed(.nothing)))
        }
        var whole = model
        whole.apply(operation)
        images.append(("torn anywhere", whole.crashed(.random(seed: seed &* 3))))
        return images
    }

    /// Runs the workload once; state i is what there was when statement i had been acknowledged.
    private func record(_ workload: Workload) throws -> ([DiskModel.Operation], [[String]]) {
        let disk = SimulatedDisk()
        let warehouse = try workload.open(disk)
        let session = try warehouse.connect()
        for statement in workload.preparation { try session.query(statement) }
        var states = [try Workload.contents(warehouse)]
        disk.mark(0)
        for statement in workload.statements {
            try session.query(statement)
            states.append(try Workload.contents(warehouse))
            disk.mark(states.count - 1)
        }
        warehouse.close()
        return (disk.journal, states)
    }

    private func check(
        _ image: DiskModel, _ workload: Workload, _ states: [[String]], _ acknowledged: Int, _ place: String
    ) throws {
        let disk = SimulatedDisk(image)
        do {
            let warehouse = try workload.open(disk)
            let found = try Workload.contents(warehouse)
            let allowed = states[max(acknowledged, 0)...min(acknowledged + 1, states.count - 1)]
            #expect(allowed.contains(found), "\(workload.name): \(place)")
            let session = try warehouse.connect()
            try session.query("create table after_crash (a integer); insert into after_crash values (1)")
            let again = try Workload.contents(warehouse)
            // The second start in a row, without a checkpoint.
            let second = try workload.open(SimulatedDisk(disk.model.crashed(.unsynchronized)))
            #expect(try Workload.contents(second) == again, "\(workload.name): \(place), second start")
            try second.connect().query("select 1")
            second.close()
            warehouse.close()
        } catch {
            Issue.record("\(workload.name): \(place): \(error)")
        }
    }

    /// Four sessions at once, each counting up: after a crash each has a prefix of its rows, with all that were
    /// acknowledged.
    @Test(arguments: [0, 300]) func concurrentCommits(checkpointBytes: Int) throws {
        let sessions = 4, rows = 6
        let workload = Workload(
            name: "concurrent", statements: [], checkpointBytes: checkpointBytes == 0 ? 64 << 20 : checkpointBytes)
        let disk = SimulatedDisk()
        let warehouse = try workload.open(disk)
        try warehouse.connect().query("create table t (s integer, i integer)")
        disk.mark(0)
        let left = Atomic<Int>(sessions)
        let failures = Mutex<[String]>([])
        for number in 0..<sessions {
            try NativeThread.start(name: "session") {
                do {
                    let session = try warehouse.connect()
                    for row in 1...rows {
                        try session.query("insert into t values (\(number), \(row))")
                        disk.mark(1 + number * 100 + row)
                    }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
                left.subtract(1, ordering: .releasing)
            }
        }
        while left.load(ordering: .acquiring) > 0 { usleep(1_000) }
        #expect(failures.withLock { $0 } == [])
        var model = DiskModel()
        var acknowledged = [Int](repeating: 0, count: sessions)
        var isReady = false
        for (number, operation) in disk.journal.enumerated() {
            if isReady && (CrashTests.isLong || number % 5 == 0) {
                for (loss, image) in CrashTests.images(model, operation, seed: UInt64(number)) {
                    try check(image, workload, acknowledged, "operation \(number), \(loss)")
                }
            }
            model.apply(operation)
            guard case .mark(let mark) = operation else { continue }
            isReady = true
            if mark > 0 { acknowledged[(mark - 1) / 100] = (mark - 1) % 100 }
        }
        try check(model.crashed(.unsynchronized), workload, acknowledged, "the end")
        #expect(acknowledged == [Int](repeating: rows, count: sessions))
        warehouse.close()
    }

    private func check(_ image: DiskModel, _ workload: Workload, _ acknowledged: [Int], _ place: String) throws {
        let warehouse = try workload.open(SimulatedDisk(image))
        let found = try warehouse.connect().query("select s, count(*), min(i), max(i) from t group by s").rows
        var counts = [Int](repeating: 0, count: acknowledged.count)
        for row in found {
            guard case .integer(let session) = row[0], case .integer(let count) = row[1],
                case .integer(let most) = row[3]
            else { continue }
            #expect(row[2] == .integer(1) && count == most, "\(place): session \(session) has a gap")
            counts[Int(session)] = Int(count)
        }
        for (session, count) in counts.enumerated() {
            #expect((acknowledged[session]...acknowledged[session] + 1).contains(count), "\(place): session \(session)")
        }
        warehouse.close()
    }
}
