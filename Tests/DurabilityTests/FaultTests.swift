import Platform
import SQLTypes
import TestSupport
import Testing
import Warehouse

/// An error of the n-th operation on the disk, for every n: the statement fails and leaves nothing, or the warehouse
/// takes no more commits and says so. Nothing that was acknowledged is lost, even when the power goes afterwards.
@Suite struct FaultTests {
    @Test(arguments: Workload.all) func errorAtEveryOperation(_ workload: Workload) throws {
        let clean = try FaultTests.run(workload, nil)
        let stride = CrashTests.isLong ? 1 : 13
        var number = clean.first + workload.name.utf8.reduce(0) { $0 &+ Int($1) } % stride
        var turn = 0
        while number < clean.last {
            let kinds = SimulatedDisk.Fault.Kind.allCases
            let fault = SimulatedDisk.Fault(
                operation: number, kind: kinds[turn % kinds.count], isPermanent: turn / kinds.count % 2 == 1)
            try check(workload, fault, clean)
            number += stride
            turn += 1
        }
    }

    /// Where nobody knows whether the new shape is in force, what follows is refused with the reason.
    @Test func errorAtEveryOperationOfOneResize() throws {
        let workload = Workload(
            name: "one resize", preparation: ["create table t (k integer, s varchar(30)) distkey(k)"],
            statements: ["insert into t values (1, 'one'), (2, null)", "resize cluster to 1 nodes 3 slices"])
        let clean = try FaultTests.run(workload, nil)
        for number in clean.first..<clean.last {
            try check(
                workload, SimulatedDisk.Fault(operation: number, kind: .diskFull, isPermanent: false), clean)
        }
    }

    struct Run {
        var disk: SimulatedDisk
        /// Operations of the part that may fail.
        var first = 0
        var last = 0
        var states: [[String]] = []
        /// Statements that succeeded.
        var acknowledged = 0
        var failure: SQLError?
        var warehouse: Warehouse?
    }

    /// Runs until the first statement fails.
    static func run(_ workload: Workload, _ fault: SimulatedDisk.Fault?) throws -> Run {
        var run = Run(disk: SimulatedDisk(fault: fault))
        let warehouse = try workload.open(run.disk)
        run.warehouse = warehouse
        let session = try warehouse.connect()
        for statement in workload.preparation { try session.query(statement) }
        run.first = run.disk.operationCount
        run.states.append(try Workload.contents(warehouse))
        for statement in workload.statements {
            do {
                try session.query(statement)
            } catch let error as SQLError {
                run.failure = error
                return run
            }
            run.acknowledged += 1
            run.states.append(try Workload.contents(warehouse))
        }
        run.last = run.disk.operationCount
        return run
    }

    private func check(_ workload: Workload, _ fault: SimulatedDisk.Fault, _ clean: Run) throws {
        let place = "\(workload.name): \(fault)"
        let run = try FaultTests.run(workload, fault)
        let warehouse = try #require(run.warehouse)
        #expect(run.states == Array(clean.states[0...run.acknowledged]), "\(place)")
        // Statements of several commits have a state between.
        if let failure = run.failure {
            #expect(["53100", "58030"].contains(failure.state.code), "\(place): \(failure)")
        } else {
            #expect(run.acknowledged == workload.statements.count, "\(place)")
        }
        let isMany =
            workload.statements.indices.contains(run.acknowledged)
            && (workload.statements[run.acknowledged].contains(";")
                || workload.statements[run.acknowledged] == "vacuum")
        let before = clean.states[run.acknowledged]
        let after = clean.states[min(run.acknowledged + 1, clean.states.count - 1)]
        if run.failure != nil && !isMany {
            #expect(try Workload.contents(warehouse) == before, "\(place): live")
        }
        // The power goes, or the process ends in order.
        for loss in [DiskModel.Loss.unsynchronized, .nothing] {
            let next = try workload.open(SimulatedDisk(run.disk.model.crashed(loss)))
            let found = try Workload.contents(next)
            let allowed = run.failure == nil ? [before] : [before, after]
            #expect(isMany || allowed.contains(found), "\(place): \(loss)")
            next.close()
        }
        if !fault.isPermanent { try goOn(warehouse, run, place) }
        warehouse.close()
    }

    /// After an error that has passed, commits work again, or are refused with a clear message, and a refusal is right
    /// only when the outcome of a commit is unknown.
    private func goOn(_ warehouse: Warehouse, _ run: Run, _ place: String) throws {
        let session = try warehouse.connect()
        do {
            try session.query("create table goes_on (a integer)")
            try session.query("insert into goes_on values (1)")
        } catch let error as SQLError {
            #expect(error.message.contains("must be opened again"), "\(place): \(error)")
            return
        }
        let now = try Workload.contents(warehouse)
        warehouse.close()
        let next = try Warehouse(
            directory: Workload.directory,
            options: Workload(name: "", statements: []).options(SimulatedDisk(run.disk.model.crashed(.unsynchronized))))
        #expect(try Workload.contents(next) == now, "\(place): went on")
        next.close()
    }
}
