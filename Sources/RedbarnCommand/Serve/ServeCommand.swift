import ArgumentParser
import ColumnStore
import Glibc
import PGWire
import Platform
import SQLTypes
import Warehouse

/// `redbarn serve`: a warehouse for everything that speaks to Redshift or PostgreSQL.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve a warehouse directory to PostgreSQL and Redshift clients.",
        discussion: """
            With --dev the server listens on this machine only and lets the user dev in with any password or none. \
            Connections may be encrypted or not. Without it, clients need TLS and the password of a user of the \
            warehouse (CREATE USER, ALTER USER); \
            COPY and UNLOAD touch files under --allow-path folders only. SIGTERM and SIGINT end the server after \
            running statements. A parent process looks after the one that serves, and starts it again when it dies; \
            what died is written to the log and to SVL_REDBARN_CRASHES.
            """)

    @Argument(help: "The warehouse; created when it is not there.")
    var folder: String?

    @Option(help: ArgumentHelp("The warehouse, for configuration files.", visibility: .hidden))
    var directory: String?

    @Option(help: "A file of options, a line each: port = 5439. Options of the command line win.")
    var config: String?

    @Flag(help: "For laptops and tests: loopback only, no passwords, all files.")
    var dev = false

    @Option(help: "Address to listen on; all of this machine's by default, 127.0.0.1 with --dev.")
    var host: String?

    @Option(help: "Port to listen on; 0 for any free one.")
    var port = 5439

    @Option(help: "File of user:password lines: sets these passwords at the start, and makes users that are missing.")
    var users: String?

    @Option(help: "How clients prove who they are: scram, md5 (where stored), or password (in clear).")
    var auth = "scram"

    @Option(help: "PEM file of the certificate chain. Without it a certificate is made at the first start.")
    var tlsCert: String?

    @Option(help: "PEM file of the certificate's private key.")
    var tlsKey: String?

    @Flag(
        inversion: .prefixedNo,
        help: "Offer TLS; without it --dev or --allow-plaintext has to let clients in.")
    var tls = true

    @Flag(help: "Refuse connections without TLS with --dev too.")
    var requireTls = false

    @Flag(help: "Accept connections without TLS.")
    var allowPlaintext = false

    @Option(help: "Clients at a time.")
    var maxConnections = 500

    @Option(help: "Connections at a time that have not logged in.")
    var maxLogins = 100

    @Option(help: "Seconds in which a client must have logged in.")
    var loginTimeout = 30

    @Option(help: "Seconds after which a silent client is disconnected; 0 for never.")
    var idleTimeout = 4 * 3600

    @Option(help: "A folder that COPY and UNLOAD may use; may be given several times.")
    var allowPath: [String] = []

    @Option(help: "Port for /healthz and /metrics; none by default.")
    var httpPort: Int?

    @Option(help: "Disk space for one result whose client reads slowly, such as 10GB.")
    var resultSpool: MemorySize?

    @Flag(help: "Serve in this very process: nobody starts it again when it dies, and no statement is refused for it.")
    var noRestart = false

    @OptionGroup var warehouse: WarehouseArguments
    @OptionGroup var maintenance: MaintenanceArguments

    func validate() throws {
        if folder == nil && directory == nil { throw ValidationError("a server needs the directory of its warehouse") }
        if dev && users != nil { throw ValidationError("--dev and --users exclude each other") }
        if dev, let host, !["127.0.0.1", "::1", "localhost"].contains(host) {
            throw ValidationError("--dev listens on this machine only")
        }
        if (tlsCert == nil) != (tlsKey == nil) { throw ValidationError("--tls-cert and --tls-key go together") }
        if !tls && (requireTls || !dev && !allowPlaintext) {
            throw ValidationError("--no-tls goes with --dev or --allow-plaintext, and not with --require-tls")
        }
        if requireTls && allowPlaintext {
            throw ValidationError("--require-tls and --allow-plaintext exclude each other")
        }
        if UserDirectory.Method(rawValue: auth) == nil { throw ValidationError("--auth is scram, md5 or password") }
        guard (0...65_535).contains(port), (0...65_535).contains(httpPort ?? 0) else {
            throw ValidationError("ports are 0 to 65535")
        }
        guard (1...100_000).contains(maxConnections), (1...3600).contains(loginTimeout) else {
            throw ValidationError("--max-connections takes 1 to 100000, --login-timeout 1 to 3600")
        }
        guard (1...100_000).contains(maxLogins) else { throw ValidationError("--max-logins takes 1 to 100000") }
        guard (0...1_728_000).contains(idleTimeout) else { throw ValidationError("--idle-timeout takes 0 to 1728000") }
    }

    func run() throws {
        let table = ServedProcess.adopt()
        if table == nil && !noRestart {
            if var keeper = ServerKeeper(directory: place, slots: slotCount) { throw ExitCode(keeper.run()) }
            StandardError.line("WARNING:  no memory to share with a second process: serving without one")
        }
        if let table { table.noteDeadlySignals() } else { CrashTable.announceDeadlySignals() }
        // Before any thread starts, so that all threads leave these signals to the one that waits for them.
        let signals = EndSignals()
        do {
            try serve(until: signals, table)
        } catch {
            StandardError.line("redbarn: " + ErrorReport.text(SQLError(error), statement: nil))
            throw ExitCode(1)
        }
    }

    private var place: String { folder ?? directory ?? "." }

    /// Sessions whose statements are known when the server dies.
    private var slotCount: Int { min(maxConnections + 64, 4_096) }

    private func serve(until signals: EndSignals, _ table: CrashTable?) throws {
        DescriptorLimit.raise()
        var options = try warehouse.options(isScratch: false)
        options.crashTable = table
        if !dev { options.allowedPaths = allowPath }
        maintenance.apply(to: &options)
        let opened = try Warehouse(directory: place, options: options)
        defer { opened.close() }
        if let broken = opened.store.recovery.broken { StandardError.line("WARNING:  " + broken.message) }
        let serving = try serverOptions(opened, table)
        let server = try WireServer(warehouse: opened, options: serving)
        ServerLog.standardError.info(
            "listening",
            [("port", String(server.port)), ("directory", place)]
                + (serving.certificate.map { [("certificate", $0.chain)] } ?? [])
                + (server.httpPort.map { [("http_port", String($0))] } ?? []) + [("process", String(getpid()))])
        // The next life listens where this one does.
        table?.port = server.port
        table?.httpPort = server.httpPort ?? 0
        table?.isReady = true
        signals.wait()
        if !server.shutDown() { _exit(0) }
    }

    private func serverOptions(_ warehouse: Warehouse, _ table: CrashTable?) throws -> ServerOptions {
        var options = ServerOptions()
        options.host = host ?? (dev ? "127.0.0.1" : "0.0.0.0")
        if let table, table.port > 0 { options.port = table.port } else { options.port = port }
        options.maximumConnections = maxConnections
        options.maximumLogins = maxLogins
        options.loginTimeoutSeconds = loginTimeout
        options.idleTimeoutSeconds = idleTimeout
        options.spoolDirectory = place
        options.httpPort = httpPort.map { port in
            if let table, table.httpPort > 0 { table.httpPort } else { port }
        }
        if let resultSpool { options.spoolLimitBytes = resultSpool.bytes }
        options.requiresTLS = requireTls || !dev && !allowPlaintext
        if tls {
            if let tlsCert, let tlsKey {
                options.certificate = (tlsCert, tlsKey)
            } else {
                options.certificate = try ServerCertificate.files(in: place, host: host)
            }
        }
        if !dev { options.users = try userDirectory(warehouse) }
        return options
    }

    private func userDirectory(_ warehouse: Warehouse) throws -> UserDirectory {
        if let users { try warehouse.provision(try UserDirectory.logins(inFile: try LocalFiles.contents(users))) }
        guard warehouse.hasLogins else {
            throw SQLError(
                .objectNotInState, "nobody could log in: no user of the warehouse has a password",
                hint: "Set one with `redbarn sql` (ALTER USER dev PASSWORD '...'), give --users FILE, or use --dev.")
        }
        var directory = UserDirectory(warehouse)
        directory.method = UserDirectory.Method(rawValue: auth) ?? .scram
        return directory
    }
}
