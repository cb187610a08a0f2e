import Glibc
import SQLTypes

extension MetaCommand {
    static let general: [MetaCommand] = [
        MetaCommand(names: ["q", "quit"], usage: "\\q", help: "quit") { $0.shell.isFinished = true },
        MetaCommand(names: ["?", "help", "h"], usage: "\\?", help: "this help") { showHelp($0.shell) },
        MetaCommand(names: ["conninfo"], usage: "\\conninfo", help: "where this shell is connected to") { call in
            let warehouse = call.shell.warehouse
            call.shell.output.line(
                "You are connected to database \"\(warehouse.options.database)\" as user "
                    + "\"\(warehouse.options.user)\" in \(call.shell.directory) (\(warehouse.shape.nodes) x "
                    + "\(warehouse.shape.slicesPerNode) slices, \(warehouse.workers) workers).")
        },
        MetaCommand(
            names: ["g"], usage: "\\g", help: "run the statement typed so far, or the last one again",
            consumesPending: true
        ) { call in
            let text = call.pending.isEmpty ? call.shell.lastStatement : call.pending
            if !text.isEmpty { call.shell.execute(text, call.source) }
        },
        MetaCommand(
            names: ["gx", "G"], usage: "\\gx", help: "as \\g, one column a line", consumesPending: true
        ) { call in
            var display = call.shell.display
            display.format = .vertical
            let text = call.pending.isEmpty ? call.shell.lastStatement : call.pending
            if !text.isEmpty { call.shell.execute(text, call.source, display: display) }
        },
        MetaCommand(names: ["p"], usage: "\\p", help: "show the statement typed so far, or the last one") { call in
            call.shell.output.line(call.pending.isEmpty ? call.shell.lastStatement : call.pending)
        },
        MetaCommand(names: ["r"], usage: "\\r", help: "forget the statement typed so far", consumesPending: true) {
            $0.shell.output.line("Query buffer reset (cleared).")
        },
        MetaCommand(
            names: ["e"], usage: "\\e [FILE]", help: "edit the last statement (or a file) with $EDITOR, then run it",
            consumesPending: true, action: edit),
        MetaCommand(names: ["!"], usage: "\\! COMMAND", help: "run a command of the system's shell") { call in
            _ = system(call.rest.isEmpty ? Environment["SHELL"] ?? "/bin/sh" : call.rest)
        },
    ]

    static let formatting: [MetaCommand] = [
        MetaCommand(names: ["timing"], usage: "\\timing [on|off]", help: "show how long statements take") { call in
            call.shell.display.timing = call.argument(0).map { $0 == "on" } ?? !call.shell.display.timing
            call.shell.output.line("Timing is \(call.shell.display.timing ? "on" : "off").")
        },
        MetaCommand(names: ["x"], usage: "\\x [on|off|auto]", help: "one column a line") { call in
            try set("expanded", call.argument(0), call)
        },
        MetaCommand(names: ["t"], usage: "\\t [on|off]", help: "rows only, without headings") { call in
            try set("tuples_only", call.argument(0), call)
        },
        MetaCommand(names: ["a"], usage: "\\a", help: "between aligned and csv") { call in
            try set("format", call.shell.display.format == .aligned ? "csv" : "aligned", call)
        },
        MetaCommand(
            names: ["pset"], usage: "\\pset [NAME [VALUE]]",
            help: "show or set: format (aligned, csv, tsv, json, markdown, vertical), null, linestyle, columns, ..."
        ) { call in
            guard let name = call.argument(0) else {
                for name in DisplaySettings.optionNames {
                    let padding = String(repeating: " ", count: 14 - name.count)
                    call.shell.output.line(name + padding + (call.shell.display.value(name) ?? ""))
                }
                return
            }
            try set(name, call.argument(1), call)
        },
    ]

    static let scripting: [MetaCommand] = [
        MetaCommand(names: ["i", "include", "ir"], usage: "\\i FILE", help: "run a file") { call in
            guard let path = call.argument(0) else { throw missing(call) }
            guard call.shell.includeDepth < 64 else {
                throw SQLError(.limitExceeded, "\\i: files include each other more than 64 levels deep")
            }
            call.shell.includeDepth += 1
            defer { call.shell.includeDepth -= 1 }
            call.shell.process(try StreamInput(path: path))
        },
        MetaCommand(
            names: ["o", "out"], usage: "\\o [FILE | '|COMMAND']", help: "send results to a file or a command"
        ) { call in
            guard !call.rest.isEmpty, let target = call.argument(0) else { return try call.shell.redirect(nil) }
            if target.hasPrefix("|") {
                let command = call.arguments.count == 1 ? String(target.dropFirst()) : String(call.rest.dropFirst())
                return try call.shell.redirect(.command(command))
            }
            try call.shell.redirect(.file(target))
        },
        MetaCommand(
            names: ["copy"], usage: "\\copy TABLE|(QUERY) from|to FILE [OPTIONS]",
            help: "load a file of this machine, or write one: text, csv"
        ) { call in try CopyCommand(call.rest).run(call.shell) },
        MetaCommand(
            names: ["set"], usage: "\\set [NAME [VALUE]]",
            help: "show or set a variable, used as :NAME, :'NAME', :\"NAME\""
        ) { call in
            guard let name = call.argument(0) else {
                for entry in call.shell.variables.sorted { call.shell.output.line("\(entry.name) = '\(entry.value)'") }
                return
            }
            call.shell.variables[name] = call.arguments.dropFirst().joined()
        },
        MetaCommand(names: ["unset"], usage: "\\unset NAME", help: "forget a variable") { call in
            guard let name = call.argument(0) else { throw missing(call) }
            call.shell.variables[name] = nil
        },
        MetaCommand(names: ["echo", "qecho"], usage: "\\echo TEXT", help: "write a line") { call in
            call.shell.output.line(call.arguments.joined(separator: " "))
        },
        MetaCommand(names: ["warn"], usage: "\\warn TEXT", help: "write a line to standard error") { call in
            StandardError.line(call.arguments.joined(separator: " "))
        },
        MetaCommand(names: ["cd"], usage: "\\cd [DIR]", help: "change the working directory") { call in
            let path = call.argument(0) ?? Environment["HOME"] ?? "/"
            if chdir(path) != 0 { throw SQLError(.undefinedFile, "\\cd: \(path): \(String(cString: strerror(errno)))") }
        },
        MetaCommand(names: ["s"], usage: "\\s", help: "show the history") { call in
            for line in EditLibrary.historyEntries() { call.shell.output.line(line) }
        },
    ]

    private static func missing(_ call: Call) -> SQLError {
        SQLError(.syntaxError, "\\\(call.name): missing required argument")
    }

    private static func set(_ name: String, _ value: String?, _ call: Call) throws {
        if let problem = call.shell.display.set(name, value) { throw SQLError(.invalidParameterValue, problem) }
        let isPeople = call.source.isInteractive && !call.shell.isQuiet
        if isPeople, let now = call.shell.display.value(name) { call.shell.output.line("\(name) is \(now).") }
    }

    private static func showHelp(_ shell: Shell) {
        let groups = [
            ("General", general), ("Objects", informational), ("Output", formatting), ("Scripts", scripting),
        ]
        for (title, commands) in groups {
            shell.output.line(title)
            for command in commands {
                let padding = String(repeating: " ", count: max(1, 26 - command.usage.count))
                shell.output.line("  \(command.usage)\(padding)\(command.help)")
            }
        }
        shell.output.line("Statements end with ; and may take several lines. Ctrl-C cancels, Tab completes.")
    }

    @Sendable private static func edit(_ call: Call) throws {
        let folder = try LocalFiles.makeScratchDirectory()
        defer { LocalFiles.removeDirectory(folder) }
        let path = call.argument(0) ?? folder + "/statement.sql"
        if call.argument(0) == nil {
            let text = call.pending.isEmpty ? call.shell.lastStatement : call.pending
            try LocalFiles.write(text.isEmpty ? "" : text + ";\n", to: path)
        }
        let editor = Environment["VISUAL"] ?? Environment["EDITOR"] ?? "vi"
        let quoted = String(decoding: InputScanner.quoted(path, with: UInt8(ascii: "'")), as: UTF8.self)
        guard system("\(editor) \(quoted)") == 0 else { throw SQLError(.ioError, "\\e: could not run \(editor)") }
        call.shell.process(try StreamInput(path: path))
    }
}
