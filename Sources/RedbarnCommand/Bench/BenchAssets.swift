import Glibc
import SQLTypes

/// Where queries, table definitions, answers and data scripts are: the folder of the project that the executable was
/// built in, or that it is run in.
struct BenchAssets {
    let root: String

    /// - Parameter override: a folder with `benchmarks/tpch` in it.
    init(override: String?) throws {
        var starts = [override, Environment["REDBARN_ASSETS"]].compactMap { $0 }
        if starts.isEmpty { starts = ["/proc/self/exe", "."] }
        for start in starts {
            if let root = BenchAssets.above(LocalFiles.absolute(start)) {
                self.root = root
                return
            }
        }
        throw SQLError(
            .undefinedFile, "cannot find benchmarks/tpch",
            hint: "Run in the project's folder or name it with --assets DIR.")
    }

    private static func above(_ path: String) -> String? {
        var folder = path[...]
        while true {
            if LocalFiles.isDirectory("\(folder)/benchmarks/tpch/queries") {
                return folder.isEmpty ? "/" : String(folder)
            }
            guard let slash = folder.lastIndex(of: "/") else { return nil }
            folder = folder[..<slash]
        }
    }

    /// The text of query 1 to 22, without its `;`.
    func query(_ number: Int) throws -> String {
        let text = try LocalFiles.contents("\(root)/benchmarks/tpch/queries/q\(BenchAssets.twoDigits(number)).sql")
        var scanner = InputScanner()
        let events = text.split(separator: "\n").flatMap { scanner.feed(String($0), variables: ShellVariables()) }
        if case .statement(let statement)? = events.first { return statement }
        return text
    }

    func tableDefinitions(_ keys: TableKeys) throws -> String {
        try LocalFiles.contents("\(root)/benchmarks/tpch/ddl_\(keys == .redshift ? "redshift" : "plain").sql")
    }

    /// nil when there is none for this scale.
    func answer(_ number: Int, scale: String) throws -> String? {
        let path = "\(root)/benchmarks/tpch/answers/sf\(scale)/q\(BenchAssets.twoDigits(number)).csv"
        return LocalFiles.exists(path) ? try LocalFiles.contents(path) : nil
    }

    func defaultData(scale: String) -> String { "\(root)/datasets/data/tpch/sf\(scale)" }

    /// Makes the tables' files with the script under `datasets/`, unless they are there.
    func makeData(scale: String, directory: String) throws {
        let present = TPCH.tables.allSatisfy { LocalFiles.exists("\(directory)/\($0).tbl") }
        if present { return }
        let script = "\(root)/datasets/tpch.sh"
        StandardError.line("Making TPC-H data at scale \(scale) in \(directory) ...")
        let command = [script, scale, directory].map {
            String(decoding: InputScanner.quoted($0, with: UInt8(ascii: "'")), as: UTF8.self)
        }
        // What the script prints goes where messages go, so that the report stays clean.
        guard system(command.joined(separator: " ") + " 1>&2") == 0 else {
            throw SQLError(
                .undefinedFile, "there is no TPC-H data in \(directory), and \(script) could not make it",
                hint: "The script needs python3, its venv module and the tpchgen-cli package.")
        }
    }

    static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
