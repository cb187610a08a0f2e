import Platform
import SQLTypes
import Warehouse

/// The shell's state and its loop: takes lines from a source, runs statements and backslash commands, keeps settings.
/// Main thread only.
final class Shell {
    let connection: any ShellConnection
    var display = DisplaySettings()
    var variables = ShellVariables()
    var output = OutputSink(descriptor: 1)
    var isQuiet = false
    /// What `\p` shows and `\g` runs again.
    var lastStatement = ""
    /// Set by `\q`.
    var isFinished = false
    /// Number of open `\i` files.
    var includeDepth = 0
    /// True once a statement failed while ON_ERROR_STOP was on.
    private(set) var wasStopped = false
    private(set) var hasFailed = false
    private var hasLostOutput = false
    private var history: History?

    init(_ connection: any ShellConnection) { self.connection = connection }

    /// Runs what the command line asks for. Returns the exit code.
    func run(commands: [String], files: [String]) throws -> Int32 {
        defer { connection.close() }
        let status: Int32
        do { status = try runAll(commands, files) } catch {
            output.abandon()
            throw error
        }
        try output.close()
        return status
    }

    private func runAll(_ commands: [String], _ files: [String]) throws -> Int32 {
        var status: Int32 = 0
        for command in commands where !isFinished && !wasStopped {
            hasFailed = false
            process(TextInput(command))
            if hasFailed { status = 1 }
        }
        for file in files where !isFinished && !wasStopped { process(try StreamInput(path: file)) }
        if commands.isEmpty && files.isEmpty {
            if Terminal.isTerminal(0) { try interact() } else { process(try StreamInput()) }
        }
        if wasStopped && commands.isEmpty { return 3 }
        if hasLostOutput { return 1 }
        return SignalWatcher.shared.wasInterrupted && !Terminal.isTerminal(0) ? 130 : status
    }

    private func interact() throws {
        EditLibrary.start(programName: "redbarn")
        if let local = connection as? LocalConnection { Completion.use(local.warehouse) }
        history = History()
        if !isQuiet { greet() }
        process(TerminalInput())
    }

    private func greet() {
        output.line("Redbarn \(RedbarnCommand.version), \(connection.greeting)")
        output.line("Type \\? for help, \\q to quit.")
        output.line("")
        flush(nil)
    }

    // MARK: The loop

    /// Runs all of a source.
    func process(_ source: any InputSource) {
        var scanner = InputScanner()
        loop: while !isFinished && !wasStopped {
            switch source.nextLine(prompt: { prompt(scanner) }) {
            case .end: break loop
            case .interrupted:
                StandardError.write("^C\n")
                scanner.reset()
            case .line(let line):
                for event in scanner.feed(line, variables: variables) {
                    if isFinished || wasStopped { break loop }
                    handle(event, &scanner, source)
                }
            }
        }
        if source.isInteractive && !isFinished { StandardError.write("\n") }
        if !isFinished && !wasStopped && !source.isInteractive, let rest = scanner.finish() { execute(rest, source) }
    }

    private func handle(_ event: InputScanner.Event, _ scanner: inout InputScanner, _ source: any InputSource) {
        switch event {
        case .statement(let text):
            if source.isInteractive { history?.add(text + ";") }
            execute(text, source)
        case .command(let line):
            if source.isInteractive && scanner.isEmpty { history?.add(line) }
            MetaCommand.run(line, shell: self, scanner: &scanner, source: source)
        }
    }

    private func prompt(_ scanner: InputScanner) -> String {
        let name = connection.database
        switch scanner.mode {
        case .string: return "\(name)'> "
        case .name: return "\(name)\"> "
        case .dollar: return "\(name)$> "
        case .comment: return "\(name)*> "
        case .normal: break
        }
        if scanner.openParentheses > 0 { return "\(name)(> " }
        return scanner.hasContent ? "\(name)-> " : "\(name)=> "
    }

    // MARK: Statements

    /// Runs a statement, prints its result or its error.
    func execute(_ text: String, _ source: (any InputSource)?, display override: DisplaySettings? = nil) {
        lastStatement = text
        if ["all", "queries"].contains(variables["ECHO"] ?? "") { output.line(text) }
        let connection = self.connection
        let progress = Terminal.isTerminal(2) ? ProgressLine(queueWait: { connection.queueWait() }) : nil
        progress?.start()
        let printer = ResultPrinter(
            output: output, display: override ?? display, zone: connection.zone,
            intervals: connection.intervals, showsTags: showsTags, progressLine: progress)
        let start = Stopwatch.nanoseconds
        do {
            try SignalWatcher.shared.cancelling(with: { connection.cancel() }) {
                try connection.execute(text, printer)
            }
        } catch {
            progress?.clear()
            flush(source)
            report(SQLError(reporting: error), statement: text, source)
        }
        if display.timing { tellTime(Stopwatch.nanoseconds - start) }
        flush(source)
    }

    /// Where a statement waited in a queue, that is told apart.
    private func tellTime(_ nanoseconds: Int64) {
        var line = "Time: \(DecimalFigure.text(Double(nanoseconds) / 1e6, digits: 3)) ms"
        if let times = connection.lastTimes(nanoseconds), times.queueMicroseconds >= Shell.toldMicroseconds {
            let (queued, ran) = (Double(times.queueMicroseconds) / 1e6, Double(times.runMicroseconds) / 1e6)
            line += " (queued \(Duration.seconds(queued).brief), ran \(Duration.seconds(ran).brief))"
        }
        output.line(line)
    }
    private static let toldMicroseconds: Int64 = 50_000

    /// What cannot be written is gone: the exit code tells.
    private func flush(_ source: (any InputSource)?) {
        do { try output.flush() } catch {
            hasLostOutput = true
            report(SQLError(reporting: error), statement: nil, source)
        }
    }

    /// Command tags are shown to people only.
    private var showsTags: Bool {
        !isQuiet && !display.tuplesOnly && display.format == .aligned && !variables.isOn("QUIET")
    }

    func report(_ error: SQLError, statement: String?, _ source: (any InputSource)?) {
        let verbose = variables["VERBOSITY"] == "verbose"
        StandardError.line(ErrorReport.text(error, statement: statement, place: source?.place, verbose: verbose))
        fail(source)
    }

    /// Counts an error; a script stops there when it asked for that.
    func fail(_ source: (any InputSource)?) {
        hasFailed = true
        let interrupted = SignalWatcher.shared.wasInterrupted
        if source?.isInteractive != true && (variables.isOn("ON_ERROR_STOP") || interrupted) { wasStopped = true }
    }

    /// Puts an other output in place of the present one; nil is standard output.
    func redirect(_ target: OutputSink.Target?) throws {
        let fresh = try target.map { try OutputSink($0) } ?? OutputSink(descriptor: 1)
        try output.close()
        output = fresh
    }
}

extension SQLError {
    /// Any error as the kind that can be shown.
    init(reporting error: any Error) {
        if let error = error as? SQLError {
            self = error
        } else {
            self.init(.internalError, "\(error)")
        }
    }
}
