import ArgumentParser
import Glibc
import SQLTypes
import Workload

/// A configuration that a command line names.
struct WLMFile {
    private let path: String

    /// - Parameter path: - is the standard input.
    init(_ path: String) { self.path = path }

    /// Says what is wrong, and ends with exit code 1 then.
    func read() throws -> WorkloadConfiguration {
        let text = try bytes()
        do {
            return try WorkloadConfiguration(bytes: text)
        } catch {
            StandardError.write(FaultReport(error, of: text, in: path).text)
            throw ExitCode(1)
        }
    }

    private func bytes() throws -> [UInt8] {
        do {
            return path == "-" ? try LocalFiles.bytes(STDIN_FILENO, path) : try LocalFiles.bytes(path)
        } catch let error as SQLError {
            StandardError.line("ERROR:  \(error.message)")
            throw ExitCode(1)
        }
    }
}
