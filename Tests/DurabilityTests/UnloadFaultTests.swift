import BulkTransfer
import ColumnVectors
import Platform
import SQLTypes
import TestSupport
import Testing

/// UNLOAD on a disk where one operation fails, each in turn: there are the files of before, or all of the new ones.
@Suite struct UnloadFaultTests {
    private static let old = ["/out/t_000": "old\n", "/out/t_009": "old too\n", "/out/other": "of others\n"]

    enum Mode: String, CaseIterable, Sendable { case plain, overwrite, clean }

    private func disk(_ mode: Mode, _ fault: SimulatedDisk.Fault?) throws -> SimulatedDisk {
        let before = SimulatedDisk()
        try before.makeDirectories("/out")
        for (path, text) in UnloadFaultTests.old.sorted(by: { $0.key < $1.key })
        where mode != .plain || path.hasSuffix("r") {
            try Array(text.utf8).withUnsafeBytes { try before.open(path, .create).append($0) }
        }
        return SimulatedDisk(before.model, fault: fault)
    }

    private func unload(_ mode: Mode, _ disk: SimulatedDisk) throws -> UnloadResult {
        var options = UnloadOptions()
        options.parallel = false
        options.manifest = .plain
        options.maximumFileBytes = 40
        options.allowOverwrite = mode == .overwrite
        options.cleanPath = mode == .clean
        let place = try StoragePlaces(fileSystem: disk).destination("/out/t_")
        do {
            let columns = [OutputColumn(name: "n", type: .integer)]
            let job = try UnloadJob(
                UnloadJob.Request(columns: columns, options: options), place: place,
                workers: StatementWorkers(WorkerPool(workers: 1)),
                time: SystemTime())
            let batch = ColumnBatch(types: [.integer])
            for number in 100..<130 { try batch.append([.integer(Int128(number))]) }
            try job.consume(worker: 0, batch)
            return try job.finish()
        } catch {
            place.abandon()
            throw error
        }
    }

    private func files(_ disk: SimulatedDisk) throws -> [String: String] {
        var result: [String: String] = [:]
        for name in try disk.list("/out") {
            result[name] = String(decoding: try disk.readAll("/out/" + name), as: UTF8.self)
        }
        return result
    }

    @Test(arguments: Mode.allCases)
    func eachOperationFails(_ mode: Mode) throws {
        let good = try disk(mode, nil)
        let before = try files(good)
        let result = try unload(mode, good)
        let after = try files(good)
        // 30 rows of four bytes in files of 40.
        #expect(result.files.map(\.rows) == [10, 10, 10])
        var expected = ["t_000", "t_001", "t_002", "t_manifest", "other"]
        if mode == .overwrite { expected.append("t_009") }
        #expect(after.keys.sorted() == expected.sorted())
        #expect(after["t_001"] == (110..<120).map { "\($0)\n" }.joined())
        #expect(good.operationCount > 10)
        for kind in SimulatedDisk.Fault.Kind.allCases {
            for operation in 0..<good.operationCount {
                let disk = try disk(mode, .init(operation: operation, kind: kind, isPermanent: false))
                do {
                    let result = try unload(mode, disk)
                    // Only taking away what was replaced may fail, and is told.
                    let seen = try files(disk).filter { !$0.key.hasPrefix(".") }
                    #expect(seen == after, "\(kind) at \(operation)")
                    #expect(result.leftovers.count == 1, "\(kind) at \(operation)")
                } catch {
                    #expect(try files(disk) == before, "\(kind) at \(operation)")
                    #expect(SQLError(error).state == (kind == .io ? .ioError : .diskFull))
                }
            }
        }
    }

    @Test func whatSomebodyElseHasPutThereStays() throws {
        let disk = try disk(.plain, nil)
        let place = try StoragePlaces(fileSystem: disk).destination("/out/t_")
        _ = try place.create("000")
        _ = try place.create("001")
        try Array("theirs".utf8).withUnsafeBytes { try disk.open("/out/t_001", .create).append($0) }
        let error = #expect(throws: SQLError.self) { try place.publish(last: nil, replacing: .none) }
        #expect(error?.state == .internalError)
        place.abandon()
        #expect(try files(disk) == ["other": "of others\n", "t_001": "theirs"])
    }
}
