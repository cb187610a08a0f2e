/// A queue as the system tables number it. Immutable; an object, because every statement's entry refers to two of them.
package final class ServiceClass: Sendable, Hashable {
    package enum Role: Sendable, Hashable {
        case superuser
        case manual
        case automatic
        case short
        case maintenance
    }
    package let id: Int
    /// Among all queues of its configuration.
    package let index: Int
    package let role: Role
    package let definition: QueueDefinition
    /// nil: the warehouse decides.
    package let slots: Int?
    /// What one slot's statement may use; nil: its share of what is free.
    package let memoryBytesPerSlot: Int?

    package init(
        id: Int, index: Int, role: Role, definition: QueueDefinition, slots: Int? = nil,
        memoryBytesPerSlot: Int? = nil
    ) {
        self.id = id
        self.index = index
        self.role = role
        self.definition = definition
        self.slots = slots
        self.memoryBytesPerSlot = memoryBytesPerSlot
    }

    package static func == (left: ServiceClass, right: ServiceClass) -> Bool {
        left.id == right.id && left.index == right.index && left.role == right.role
            && left.definition == right.definition && left.slots == right.slots
            && left.memoryBytesPerSlot == right.memoryBytesPerSlot
    }
    package func hash(into hasher: inout Hasher) { hasher.combine(id) }

    package var name: String { definition.name }

    package static let superuserID = 5
    package static let firstManualID = 6
    package static let shortID = 14
    package static let maintenanceID = 15
    package static let firstAutomaticID = 100
}

/// All queues of a configuration on a machine, and who belongs into which.
package struct ServiceClasses: Sendable {
    package let all: [ServiceClass]
    /// The user queues in the configuration's order; the last is the default queue.
    package let queues: [ServiceClass]
    package let short: ServiceClass
    private let hasRoutes: Bool
    let hasRules: Bool
    let hasTimeLimits: Bool

    /// In the order of their numbers: superusers, manual queues, short queries, maintenance, automatic queues.
    package init(_ configuration: WorkloadConfiguration, _ machine: WorkloadMachine) {
        let memory = ServiceClasses.memory(configuration, machine)
        let manual = configuration.isAutomatic ? 0 : configuration.queues.count
        queues = configuration.queues.enumerated().map { index, queue in
            configuration.isAutomatic
                ? ServiceClass(
                    id: ServiceClass.firstAutomaticID + index, index: 3 + index, role: .automatic, definition: queue)
                : ServiceClass(
                    id: ServiceClass.firstManualID + index, index: 1 + index, role: .manual, definition: queue,
                    slots: queue.slots, memoryBytesPerSlot: memory[index] / max(queue.slots, 1))
        }
        short = ServiceClass(
            id: ServiceClass.shortID, index: 1 + manual, role: .short,
            definition: QueueDefinition(name: "Short query queue"), slots: machine.shortSlots)
        let superuser = ServiceClass(
            id: ServiceClass.superuserID, index: 0, role: .superuser,
            definition: QueueDefinition(name: "Service class for super user"), slots: 1)
        let maintenance = ServiceClass(
            id: ServiceClass.maintenanceID, index: 2 + manual, role: .maintenance,
            definition: QueueDefinition(name: "Service class for background maintenance"))
        all =
            [superuser] + (configuration.isAutomatic ? [] : queues) + [short, maintenance]
            + (configuration.isAutomatic ? queues : [])
        hasRoutes = queues.count > 1
        hasRules = queues.contains { !$0.definition.rules.isEmpty }
        hasTimeLimits = queues.contains { $0.definition.maximumExecutionMilliseconds > 0 }
    }

    /// Bytes of each manual queue.
    private static func memory(_ configuration: WorkloadConfiguration, _ machine: WorkloadMachine) -> [Int] {
        let claimed = configuration.queues.reduce(0) { $0 + ($1.memoryPercent ?? 0) }
        let without = configuration.queues.count { $0.memoryPercent == nil }
        let rest = without == 0 ? 0 : max(100 - claimed, 0) / without
        return configuration.queues.map { machine.memoryBytes / 100 * ($0.memoryPercent ?? rest) }
    }

    package subscript(id: Int) -> ServiceClass? { all.first { $0.id == id } }

    /// Where a statement waits: by superuser and label, by group, role or label, else in the default queue.
    package func home(of request: AdmissionRequest) -> ServiceClass {
        if request.kind == .background, let maintenance = self[ServiceClass.maintenanceID] { return maintenance }
        if request.user.isSuperuser, !request.queryGroup.isEmpty, request.queryGroup.lowercased() == "superuser",
            let superuser = self[ServiceClass.superuserID]
        {
            return superuser
        }
        let last = queues[queues.count - 1]
        return hasRoutes ? queues.first { ServiceClasses.leads(request, into: $0.definition) } ?? last : last
    }

    /// The next queue, behind one that a statement was in, into which it is led by name; never the default queue.
    package func next(after id: Int, for request: AdmissionRequest) -> ServiceClass? {
        guard let index = queues.firstIndex(where: { $0.id == id }) else { return nil }
        return queues.dropFirst(index + 1).first { ServiceClasses.leads(request, into: $0.definition) }
    }

    private static func leads(_ request: AdmissionRequest, into queue: QueueDefinition) -> Bool {
        request.user.groups.contains { queue.userGroups.contains($0) }
            || request.user.roles.contains { queue.userRoles.contains($0) }
            || (!request.queryGroup.isEmpty && queue.queryGroups.contains(request.queryGroup))
    }
}

/// What queues share.
package struct WorkloadMachine: Sendable, Hashable {
    package var cores: Int
    package var memoryBytes: Int
    /// `max_concurrency_scaling_clusters`.
    package var scalingClusters = 1

    package init(cores: Int, memoryBytes: Int) {
        self.cores = max(cores, 1)
        self.memoryBytes = max(memoryBytes, 0)
    }

    /// Statements of automatic queues at a time: more of them add nothing but their memory.
    package var automaticSlots: Int { max(16, 4 * cores) }
    package var shortSlots: Int { max(16, 4 * cores) }
    /// Slots of one scaling cluster.
    package var slotsPerCluster: Int { QueueDefinition.standardSlots }
}

extension QueueDefinition.NameList {
    /// Names of groups are compared without regard to case.
    package func contains(_ name: String) -> Bool {
        if names.isEmpty { return false }
        let name = Array(name.lowercased().unicodeScalars)
        return names.contains { pattern in
            let pattern = Array(pattern.lowercased().unicodeScalars)
            return hasWildcards ? matches(name[...], pattern[...]) : name == pattern
        }
    }

    /// `*` stands for any characters, `?` for one. Goes back to the last star only, so it takes at most the product of
    /// both lengths.
    private func matches(_ name: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>) -> Bool {
        var at = name.startIndex, place = pattern.startIndex
        var star: (place: Int, at: Int)?
        while at < name.endIndex {
            if place < pattern.endIndex, pattern[place] == "*" {
                star = (place, at)
                place += 1
            } else if place < pattern.endIndex, pattern[place] == "?" || pattern[place] == name[at] {
                place += 1
                at += 1
            } else if let last = star {
                place = last.place + 1
                at = last.at + 1
                star = (last.place, at)
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == "*" }
    }
}
