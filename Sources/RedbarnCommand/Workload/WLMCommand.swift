import ArgumentParser

/// `redbarn wlm`: workload management, without a warehouse.
struct WLMCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wlm", abstract: "Check and try configurations of workload management.",
        subcommands: [WLMCheckCommand.self, WLMSimulateCommand.self])
}
