import SQLTypes
import TestSupport
import Testing
import Warehouse

/// No descriptor is free at the n-th opening of a file or directory, for every n: the statement fails and leaves
/// nothing, or does without. When descriptors are free again everything works without a restart.
@Suite struct HandleTests {
    @Test(arguments: Workload.all) func noHandleAtEveryOpening(_ workload: Workload) throws {
        let clean = try HandleTests.run(workload, nil)
        let stride = CrashTests.isLong ? 1 : 29
        var opening = clean.first + workload.name.utf8.reduce(0) { $0 &+ Int($1) } % stride
        while opening < clean.last {
            try check(workload, opening, clean)
            opening += stride
        }
    }

    /// The shape of the report: the log begins a new segment with one free descriptor too few.
    @Test func everyOpeningOfOneInsert() throws {
        let workload = Workload(
            name: "insert", preparation: ["create table t (k integer)", "insert into t values (0)", "vacuum"],
            statements: ["insert into t values (1)"])
        let clean = try HandleTests.run(workload, nil)
        #expect(clean.last > clean.first)
        for opening in clean.first..<clean.last { try check(workload, opening, clean) }
    }

    private struct Run {
        var warehouse: Warehouse
        var disk: SimulatedDisk
        var first = 0
        var last = 0
        var states: [[String]] = []
        var failure: SQLError?
    }

    /// The look from outside may be what finds no descriptor.
    private static func contents(_ warehouse: Warehouse) throws -> [String] {
        do {
            return try Workload.contents(warehouse)
        } catch let error as SQLError where error.state == .insufficientResources {
            return try Workload.contents(warehouse)
        }
    }

    /// Runs until the first statement fails.
    private static func run(_ workload: Workload, _ opening: Int?) throws -> Run {
        let disk = SimulatedDisk(handleFault: opening.map { SimulatedDisk.HandleFault(opening: $0) })
        var run = Run(warehouse: try workload.open(disk), disk: disk)
        let session = try run.warehouse.connect()
        for statement in workload.preparation { try session.query(statement) }
        run.states.append(try HandleTests.contents(run.warehouse))
        run.first = disk.openingCount
        for statement in workload.statements {
            do {
                try session.query(statement)
            } catch let error as SQLError {
                run.failure = error
                return run
            }
            run.states.append(try HandleTests.contents(run.warehouse))
        }
        run.last = disk.openingCount
        return run
    }

    private func check(_ workload: Workload, _ opening: Int, _ clean: Run) throws {
        let place = "\(workload.name): opening \(opening)"
        let run = try HandleTests.run(workload, opening)
        let done = run.states.count - 1
        #expect(run.states == Array(clean.states[0...done]), "\(place)")
        if let failure = run.failure { #expect(failure.state.code == "53000", "\(place): \(failure)") }
        // The fault is over: the rest of the work runs, and the result is on the disk.
        let session = try run.warehouse.connect()
        do {
            // A text of several statements may have been done in part.
            for statement in workload.statements.dropFirst(done) where !statement.contains(";") {
                try session.query(statement)
            }
            try session.query("create table goes_on (a integer)")
            try session.query("insert into goes_on values (1)")
        } catch {
            Issue.record("\(place): afterwards: \(error)")
        }
        let now = try HandleTests.contents(run.warehouse)
        let next = try workload.open(SimulatedDisk(run.disk.model.crashed(.unsynchronized)))
        #expect(try Workload.contents(next) == now, "\(place): opened again")
        next.close()
        run.warehouse.close()
    }
}
