/// What happens to statements between their start and their end.
extension Scheduler {
    // MARK: Locks

    /// The statement waits for a lock: others may have its slots. Whoever has slots never waits for locks, so whoever
    /// has locks and waits for slots gets them.
    package mutating func suspend(_ number: Int, at now: Int64) {
        guard let entry = entries[number], entry.state == .running else { return }
        release(entry)
        entries[number]?.state = .suspended
        entries[number]?.isScaledOut = false
        startWaiting(entry.lane, at: now)
    }

    /// It has its lock and wants its slots again, before all who have never run.
    package mutating func resume(_ number: Int, at now: Int64) {
        guard let entry = entries[number], entry.state == .suspended else { return }
        entries[number]?.state = .waiting
        lanes[entry.lane.id]?.figures.queued += 1
        lanes[entry.lane.id]?.line.appendReturning(entry.place)
        startWaiting(entry.lane, at: now)
    }

    // MARK: Time

    package enum Expiry: Sendable, Hashable {
        /// It was taken for short, is not, and goes on in its own queue.
        case outgrew(Int)
        /// It has run longer than its queue allows.
        case timedOut(Int)
    }

    /// What has run out by now. Who has outgrown the lane of short queries is in its own queue from here on, with its
    /// slot at once, if need be one too many: its work is not lost, and who comes later waits instead.
    package mutating func expire(at now: Int64) -> [Expiry] {
        var expired: [Expiry] = []
        for number in running {
            guard let entry = entries[number] else { continue }
            if entry.isShort {
                if now - entry.laneNanoseconds > laneLimitNanoseconds {
                    outgrow(number, at: now)
                    expired.append(.outgrew(number))
                }
            } else if let deadline = deadline(entry), now >= deadline {
                expired.append(.timedOut(number))
            }
        }
        return expired
    }

    /// The moment at which ``expire(at:)`` will find something, unless something else happens before.
    package var nextDeadlineNanoseconds: Int64? {
        var next: Int64?
        for number in running {
            guard let entry = entries[number] else { continue }
            let moment = entry.isShort ? entry.laneNanoseconds + laneLimitNanoseconds + 1 : deadline(entry)
            if let moment { next = min(next ?? moment, moment) }
        }
        return next
    }

    private func deadline(_ entry: Entry) -> Int64? {
        let limit = entry.home.definition.maximumExecutionMilliseconds
        guard limit > 0, entry.home.role == .manual, !entry.request.kind.isExempt else { return nil }
        return entry.laneNanoseconds + limit * 1_000_000
    }

    private mutating func outgrow(_ number: Int, at now: Int64) {
        guard var entry = entries[number] else { return }
        release(entry)
        lanes[entry.lane.id]?.figures.evicted += 1
        let left = entry.lane
        entry.lane = entry.home
        entry.laneNanoseconds = now
        entry.wasEvicted = true
        entries[number] = entry
        lanes[entry.lane.id]?.figures.serviced += 1
        running.insert(number)
        lanes[entry.lane.id]?.figures.executing += 1
        take(entry)
        startWaiting(left, at: now)
    }

    // MARK: Hopping

    package enum Hop: Sendable, Hashable {
        /// It goes on in another queue.
        case reassigned(ServiceClass)
        /// It has to begin again, in another queue.
        case restart
        /// No other queue takes it.
        case nowhere
    }

    /// Into the next queue that takes it by name: as it is where there is a slot, else to begin again there.
    package mutating func hop(_ number: Int, at now: Int64) -> Hop {
        guard var entry = entries[number], entry.state == .running,
            let target = classes.next(after: entry.home.id, for: entry.request)
        else { return .nowhere }
        let used = lanes[target.id]?.usedSlots ?? 0
        guard (lanes[target.id]?.figures.queued ?? 0) == 0, used + entry.slots <= target.slots ?? .max else {
            return .restart
        }
        let left = entry.lane
        release(entry)
        entry.home = target
        entry.lane = target
        entry.isScaledOut = false
        entry.laneNanoseconds = now
        entries[number] = entry
        lanes[target.id]?.figures.serviced += 1
        running.insert(number)
        lanes[target.id]?.figures.executing += 1
        take(entry)
        startWaiting(left, at: now)
        return .reassigned(target)
    }

    // MARK: Priorities

    /// A waiting statement takes its place among those of its new priority by its arrival.
    package mutating func change(_ number: Int, _ priority: QueryPriority, at now: Int64) {
        guard let entry = entries[number] else { return }
        entries[number]?.priority = priority
        entries[number]?.request.priority = priority
        guard entry.state == .waiting, entry.startedNanoseconds == nil, entry.priority != priority else { return }
        lanes[entry.lane.id]?.line.insert(entry.place, priority)
        if let changed = entries[number] { arrive(changed) }
        startWaiting(entry.lane, at: now)
    }

    package func figures(_ serviceClass: Int) -> Figures { lanes[serviceClass]?.figures ?? Figures() }
    package func usedSlots(_ serviceClass: Int) -> Int { lanes[serviceClass]?.usedSlots ?? 0 }
}
