import Glibc
import Platform
import SQLTypes
import Warehouse

/// `\wlm`: the queues of workload management, and the statements that wait and run in them. On a terminal it is drawn
/// anew in its place until a key is pressed, else printed once.
struct QueueBoard {
    private let shell: Shell
    private let interval: String?
    private static let mostStatements = 500
    private static let longestSeconds = 3_600.0

    init(_ call: MetaCommand.Call) {
        shell = call.shell
        interval = call.argument(0)
    }

    func show() throws {
        var seconds = 1.0
        if let interval {
            guard let value = Double(interval), value >= 0.1, value <= QueueBoard.longestSeconds else {
                throw SQLError(
                    .invalidParameterValue, "\\wlm: SECONDS is a number from 0.1 to 3600, not \"\(interval)\"")
            }
            seconds = value
        }
        guard Terminal.isTerminal(STDIN_FILENO), Terminal.isTerminal(shell.output.descriptor) else {
            return shell.output.write(try frame())
        }
        try live(seconds)
    }

    // MARK: On a terminal

    private func live(_ seconds: Double) throws {
        try shell.output.flush()
        var last = try frame()
        try KeyPress.awaiting { key in
            try write("\u{1B}[?1049h")
            defer { shell.output.write("\u{1B}[?1049l") }
            repeat {
                last = try frame()
                try write("\u{1B}[H\u{1B}[J" + cut(last))
            } while !key.isPressed(within: seconds)
        }
        // What was seen last stays.
        shell.output.write(last)
    }

    private func write(_ text: String) throws {
        shell.output.write(text)
        try shell.output.flush()
    }

    /// As many lines as the terminal has.
    private func cut(_ frame: String) -> String {
        let height = Terminal.height(shell.output.descriptor) ?? 24
        let lines = frame.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        let shown = lines.count < height ? lines : lines.prefix(max(height - 2, 1)) + ["..."]
        return shown.joined(separator: "\r\n") + "\r\n"
    }

    // MARK: What is shown

    private func frame() throws -> String {
        let queues = try configuredQueues()
        let statements = try shell.connection.rows(QueueBoard.statements)
        var display = shell.display
        if display.null == nil { display.null = "" }
        display.showFooter = false
        let sink = OutputSink(descriptor: shell.output.descriptor)
        if display.format == .aligned && !display.tuplesOnly {
            let states = statements.map { $0[3] ?? "" }
            let waiting = queues?.reduce(0) { $0 + (Int($1[4] ?? "") ?? 0) } ?? states.count { $0.hasPrefix("queued") }
            let running = queues?.reduce(0) { $0 + (Int($1[5] ?? "") ?? 0) } ?? states.count - waiting
            let own = queues == nil ? " (your own statements: superusers see the queues)" : ""
            sink.line("\(queues?.first?[10] ?? "")  \(waiting) waiting, \(running) running\(own)".trimmed)
        }
        if let queues {
            let names = [
                "class", "queue", "slots", "priority", "waiting", "running", "admitted", "ended", "evicted", "scaled",
            ]
            try add(
                names, queues.map { Array($0.prefix(names.count)) }, numbers: [0, 4, 5, 6, 7, 8, 9], display, sink)
        }
        if !statements.isEmpty {
            let names = ["class", "position", "query", "state", "slots", "priority", "queued", "ran", "statement"]
            try add(
                names, statements.map { Array($0.prefix(names.count)) }, numbers: [0, 1, 2, 4, 6, 7], display, sink)
        }
        return sink.text.string
    }

    /// nil for those who may not see them.
    private func configuredQueues() throws -> [[String?]]? {
        // Asked first, because an error would end an open block.
        let right = "select 1 from pg_user where usename = current_user and usesuper"
        if try shell.connection.rows(right).isEmpty { return nil }
        do {
            return try shell.connection.rows(QueueBoard.queues)
        } catch let error as SQLError where error.state == .insufficientPrivilege {
            return nil
        }
    }

    private func add(
        _ names: [String], _ rows: [[String?]], numbers: Set<Int>, _ display: DisplaySettings, _ sink: OutputSink
    ) throws {
        let columns = names.enumerated().map {
            ResultColumn(name: $0.element, type: numbers.contains($0.offset) ? .bigint : .varchar(256))
        }
        let writer = display.format.makeWriter(display, sink)
        writer.begin(columns)
        let text = RowText(columns: columns, zone: .utc)
        for row in rows {
            text.fill(row)
            try writer.row(text)
        }
        try writer.end(rowCount: rows.count)
    }

    private static let queues = """
        select c.service_class, trim(c.name),
            case when c.num_query_tasks < 0 then 'auto' else c.num_query_tasks::varchar end,
            lower(trim(c.query_priority)), s.num_queued_queries, s.num_executing_queries, s.num_serviced_queries,
            s.num_executed_queries, s.num_evicted_queries, s.num_concurrency_scaling_queries,
            to_char(sysdate, 'HH24:MI:SS')
        from stv_wlm_service_class_config c
        join stv_wlm_service_class_state s on s.service_class = c.service_class order by c.service_class
        """

    private static let statements = """
        select s.service_class, q.position, s.query, lower(trim(s.state)), s.slot_count, lower(trim(s.query_priority)),
            (s.queue_time / 1000000.0)::decimal(18, 1), (s.exec_time / 1000000.0)::decimal(18, 1), trim(i.text)
        from stv_wlm_query_state s
        left join stv_wlm_query_queue_state q on q.query = s.query
        left join stv_inflight i on i.query = s.query and i.slice = 0
        order by s.service_class, q.position nulls first, s.query limit \(mostStatements)
        """
}
