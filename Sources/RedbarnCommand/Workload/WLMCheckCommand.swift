import ArgumentParser
import Glibc
import Workload

/// `redbarn wlm check FILE`: prints the queues that a configuration makes, or what is wrong with it and where. Exit
/// code 1 when it cannot be used.
struct WLMCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Read a wlm_json_configuration and print the queues that it makes.",
        discussion: """
            Examples:
              redbarn wlm check queues.json
              redbarn wlm check --memory 16GB queues.json
              echo '[{"query_concurrency": 5}]' | redbarn wlm check -

            Mistakes are told as FILE:LINE:COLUMN: MESSAGE; the exit code is 1 then.
            """)

    @Argument(help: "The file; - is the standard input.")
    var file: String

    @Option(help: "The memory of statements, such as 16GB: shows what each slot gets.")
    var memory: MemorySize?

    func run() throws {
        let configuration = try WLMFile(file).read()
        let output = OutputSink(descriptor: STDOUT_FILENO)
        output.write(QueueTable(configuration, memoryBytes: memory?.bytes).text)
        try output.flush()
    }
}
