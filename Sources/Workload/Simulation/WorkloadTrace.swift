/// A workload that was recorded: lines of comma-separated values under a line of names. `arrival_seconds` and
/// `run_seconds` must be there; `query_group`, `user_group`, `kind`, `slots`, `cores`, `memory_mb`, `predicted_seconds`
/// and `priority` may be.
package struct WorkloadTrace {
    package struct Fault: Error, Sendable {
        package var line: Int
        package var message: String
    }
    private static let names = [
        "arrival_seconds", "run_seconds", "query_group", "user_group", "kind", "slots", "cores", "memory_mb",
        "predicted_seconds", "priority",
    ]
    private static let kinds: [(String, AdmissionRequest.Kind)] = [
        ("select", .select), ("ctas", .createTableAs), ("change", .change), ("copy", .load), ("unload", .unload),
        ("maintenance", .maintenance),
    ]
    /// A hundred days.
    private static let mostSeconds = 8_640_000.0
    package let statements: [SimulatedStatement]

    /// - Parameter count: at most so many statements; more than there are: the trace again, behind its end.
    package init(_ bytes: [UInt8], count: Int? = nil) throws(Fault) {
        var columns: [String: Int]?
        var read: [SimulatedStatement] = []
        for (number, line) in bytes.split(separator: 10, omittingEmptySubsequences: false).enumerated() {
            let cells = WorkloadTrace.cells(line)
            if cells.count == 1 && cells[0].isEmpty { continue }
            if let columns {
                read.append(try WorkloadTrace.statement(cells, columns, line: number + 1, number: read.count + 1))
            } else {
                columns = try WorkloadTrace.columns(cells, line: number + 1)
            }
        }
        if read.isEmpty { throw Fault(line: 1, message: "the trace has no statements") }
        read.sort { $0.arrivalNanoseconds < $1.arrivalNanoseconds }
        statements = try WorkloadTrace.repeated(read, count ?? read.count)
    }

    private static func repeated(_ read: [SimulatedStatement], _ count: Int) throws(Fault) -> [SimulatedStatement] {
        if count <= read.count { return Array(read.prefix(count)) }
        let first = read[0].arrivalNanoseconds
        let period = read[read.count - 1].arrivalNanoseconds - first + 1_000_000_000
        let (length, overflow) = Int64(count / read.count + 1).multipliedReportingOverflow(by: period)
        guard !overflow, length < Int64.max / 4 else {
            throw Fault(line: 1, message: "the trace is too long to be repeated for \(count) statements")
        }
        return (0..<count).map { index in
            var statement = read[index % read.count]
            statement.arrivalNanoseconds += Int64(index / read.count) * period
            statement.request.query = index + 1
            return statement
        }
    }

    /// Values may stand in double quotes, in which two of them are one.
    private static func cells(_ line: ArraySlice<UInt8>) -> [String] {
        var cells: [[UInt8]] = [[]]
        var isQuoted = false
        for byte in line where byte != 13 {
            if byte == 34 {
                isQuoted.toggle()
            } else if byte == 44 && !isQuoted {
                cells.append([])
            } else {
                cells[cells.count - 1].append(byte)
            }
        }
        return cells.map { cell in
            let text = cell[(cell.firstIndex { $0 != 32 } ?? cell.endIndex)...]
            return String(
                decoding: text[..<(text.lastIndex { $0 != 32 }.map { $0 + 1 } ?? text.startIndex)], as: UTF8.self)
        }
    }

    private static func columns(_ cells: [String], line: Int) throws(Fault) -> [String: Int] {
        var columns: [String: Int] = [:]
        for (index, cell) in cells.enumerated() {
            let name = cell.lowercased()
            guard names.contains(name) else {
                throw Fault(line: line, message: "no column \"\(cell)\" is known; known are \(list(names))")
            }
            if columns.updateValue(index, forKey: name) != nil {
                throw Fault(line: line, message: "column \"\(cell)\" is there twice")
            }
        }
        for name in names.prefix(2) where columns[name] == nil {
            throw Fault(line: line, message: "column \"\(name)\" is missing")
        }
        return columns
    }

    private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }

    private static func statement(
        _ cells: [String], _ columns: [String: Int], line: Int, number: Int
    ) throws(Fault) -> SimulatedStatement {
        func text(_ name: String) -> String {
            columns[name].flatMap { $0 < cells.count ? cells[$0] : nil } ?? ""
        }
        func figure(_ name: String, _ limits: ClosedRange<Double>) throws(Fault) -> Double? {
            let text = text(name)
            if text.isEmpty { return nil }
            guard let value = Double(text), limits.contains(value) else {
                throw Fault(
                    line: line,
                    message: "\(name) is a number from \(limits.lowerBound) to \(limits.upperBound), not \"\(text)\"")
            }
            return value
        }
        let times = 0...mostSeconds
        guard let arrival = try figure("arrival_seconds", times), let run = try figure("run_seconds", times) else {
            throw Fault(line: line, message: "arrival_seconds and run_seconds must have values")
        }
        var user = WorkloadUser(id: 100)
        if !text("user_group").isEmpty { user.groups = [text("user_group")] }
        let kind = text("kind").isEmpty ? "select" : text("kind").lowercased()
        guard let kind = kinds.first(where: { $0.0 == kind })?.1 else {
            throw Fault(line: line, message: "kind is one of \(list(kinds.map(\.0))), not \"\(kind)\"")
        }
        let cores = Int(try figure("cores", 1...1024) ?? 1)
        var request = AdmissionRequest(
            query: number, kind: kind, user: user, queryGroup: text("query_group"),
            slotCount: Int(try figure("slots", 1...50) ?? 1),
            estimatedBytes: Int(try figure("memory_mb", 0...1e9) ?? 0) << 20)
        request.predictedNanoseconds = Int64((try figure("predicted_seconds", times) ?? run * Double(cores)) * 1e9)
        if !text("priority").isEmpty {
            guard let priority = QueryPriority(name: text("priority")) else {
                throw Fault(line: line, message: "no priority \"\(text("priority"))\"")
            }
            request.priority = priority
        }
        return SimulatedStatement(
            request: request, arrivalNanoseconds: Int64(arrival * 1e9),
            workNanoseconds: max(Int64(run * Double(cores) * 1e9), 1), cores: cores)
    }
}
