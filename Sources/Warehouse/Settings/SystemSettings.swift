import Platform
import SQLTypes
import Workload

/// A parameter of the warehouse as a whole: ALTER SYSTEM changes it, SHOW shows it, and it is kept over restarts.
enum SystemParameter: String, CaseIterable, Sendable {
    case workload = "wlm_json_configuration"
    case scalingClusters = "max_concurrency_scaling_clusters"
    case usageLimits = "concurrency_scaling_usage_limits"

    var initial: String {
        switch self {
        case .workload: WorkloadConfiguration.standardText
        case .scalingClusters: "1"
        case .usageLimits: ""
        }
    }
    static let mostScalingClusters = 10

    /// As statements write it.
    init?(name: String) { self.init(rawValue: name.lowercased()) }

    /// Throws where the value is none of this parameter's.
    func check(_ value: String) throws {
        switch self {
        case .workload: _ = try SystemSettings.configuration(value)
        case .scalingClusters:
            _ = try SessionSettings.whole(value, 0...SystemParameter.mostScalingClusters, rawValue)
        case .usageLimits: _ = try UsageLimit.list(value)
        }
    }
}

/// The parameters of one warehouse: a file for each that has been set, in the folder `system` of its directory. What
/// the command line says wins, and is not kept. Safe from any thread.
final class SystemSettings: Sendable {
    private let directory: String
    private let folder: String
    private let fileSystem: any FileSystem
    private let values: Lock<[SystemParameter: String]>
    /// One change at a time: file, value and whoever uses it tell the same.
    private let changing = Monitor()
    /// What was kept and cannot be read any more: the defaults hold instead.
    let faults: [String]

    /// - Parameter given: by the command line.
    init(directory: String, _ fileSystem: any FileSystem, given: [SystemParameter: String]) throws {
        self.directory = directory
        folder = FilePath.join(directory, "system")
        self.fileSystem = fileSystem
        var values = given
        var faults: [String] = []
        for parameter in SystemParameter.allCases where given[parameter] == nil {
            guard let kept = try SystemSettings.read(parameter, folder, fileSystem) else { continue }
            do {
                try parameter.check(kept)
                values[parameter] = kept
            } catch let error as SQLError {
                faults.append("\(FilePath.join(folder, parameter.rawValue)) is not used: \(error.message)")
            }
        }
        self.values = Lock(values)
        self.faults = faults
    }

    private static func read(
        _ parameter: SystemParameter, _ folder: String, _ fileSystem: any FileSystem
    ) throws -> String? {
        let path = FilePath.join(folder, parameter.rawValue)
        guard try fileSystem.status(path) != nil else { return nil }
        return String(decoding: try fileSystem.readAll(path), as: UTF8.self)
    }

    func value(_ parameter: SystemParameter) -> String { values.withLock { $0[parameter] } ?? parameter.initial }

    /// Kept before it counts.
    ///
    /// - Parameters:
    ///   - value: nil: the default again.
    ///   - use: applies it, before anybody else changes anything.
    func set(_ parameter: SystemParameter, _ value: String?, _ use: () throws -> Void) throws {
        try changing.withLock {
            do {
                try keep(parameter, value)
            } catch let error as PlatformError {
                throw SQLError(error)
            }
            values.withLock { $0[parameter] = value }
            try use()
        }
    }

    private func keep(_ parameter: SystemParameter, _ value: String?) throws {
        if try fileSystem.status(folder) == nil {
            try fileSystem.makeDirectories(folder)
            try fileSystem.synchronizeDirectory(directory)
        }
        let path = FilePath.join(folder, parameter.rawValue)
        if let value {
            try fileSystem.replaceDurably(path, with: Array(value.utf8))
        } else if try fileSystem.status(path) != nil {
            try fileSystem.remove(path)
            try fileSystem.synchronizeDirectory(folder)
        }
    }

    /// The configuration of queues, read and checked.
    func workloadConfiguration() throws -> WorkloadConfiguration {
        try SystemSettings.configuration(value(.workload))
    }
    var scalingClusters: Int { Int(value(.scalingClusters)) ?? 1 }

    static func configuration(_ text: String) throws -> WorkloadConfiguration {
        do {
            return try WorkloadConfiguration(text: text)
        } catch let fault {
            throw SQLError(
                .invalidParameterValue,
                "invalid value for parameter \"wlm_json_configuration\": line \(fault.line), column \(fault.column): "
                    + fault.message, hint: fault.hint)
        }
    }
}
