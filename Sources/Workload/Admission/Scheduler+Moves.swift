/// What happens to statements between their start and their end.
extension Scheduler {
    // MARK: Locks

    /// The statement waits for a lock: others may have its slots. Whoever has slots never waits for locks, so whoever
    /// has locks and waits for slots gets them.
    package func suspend(_ number: Int, at now: Int64) {
        guard let entry = entries[number], entry.state == .running else { return }
        release(entry)
        entry.state = .suspended
        // Its queue may have fewer slots by now than it came with.
        entry.slots = min(entry.slots, entry.lane.slots ?? .max)
        entry.pauseNanoseconds = now
        entry.isScaledOut = false
        startWaiting(entry.lane, at: now)
    }

    /// It has its lock and wants its slots again, before all who have never run.
    package func resume(_ number: Int, at now: Int64) {
        guard let entry = entries[number], entry.state == .suspended else { return }
        entry.state = .waiting
        wait(entry)
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
    package func expire(at now: Int64) -> [Expiry] {
        var expired: [Expiry] = []
        for entry in Array(running) {
            if entry.isShort {
                if now - entry.laneNanoseconds > laneLimitNanoseconds {
                    outgrow(entry, at: now)
                    expired.append(.outgrew(entry.sequence))
                }
            } else if let deadline = deadline(entry), now >= deadline {
                expired.append(.timedOut(entry.sequence))
            }
        }
        return expired
    }

    /// The moment at which ``expire(at:)`` will find something, unless something else happens before.
    package var nextDeadlineNanoseconds: Int64? {
        var next: Int64?
        for entry in running {
            let moment = entry.isShort ? entry.laneNanoseconds + laneLimitNanoseconds + 1 : deadline(entry)
            if let moment { next = min(next ?? moment, moment) }
        }
        return next
    }

    private func deadline(_ entry: Entry) -> Int64? {
        let limit = entry.home.definition.maximumExecutionMilliseconds
        guard limit > 0, entry.home.role == .manual, !entry.request.kind.isExempt, !entry.isSpared else { return nil }
        return entry.laneNanoseconds + limit * 1_000_000
    }

    private func outgrow(_ entry: Entry, at now: Int64) {
        lanes[entry.lane.index].figures.evicted += 1
        entry.wasEvicted = true
        move(entry, to: entry.home, at: now)
    }

    /// It goes on in another lane.
    private func move(_ entry: Entry, to lane: ServiceClass, at now: Int64) {
        let left = entry.lane
        release(entry)
        entry.lane = lane
        entry.isScaledOut = false
        entry.laneNanoseconds = now
        lanes[lane.index].figures.serviced += 1
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
    package func hop(_ number: Int, at now: Int64) -> Hop {
        guard let entry = entries[number], entry.state == .running,
            let target = classes.next(after: entry.home.id, for: entry.request)
        else { return .nowhere }
        let lane = lanes[target.index]
        guard lane.figures.queued == 0, lane.usedSlots + entry.slots <= target.slots ?? .max else { return .restart }
        lanes[entry.lane.index].figures.hopped += 1
        entry.home = target
        move(entry, to: target, at: now)
        return .reassigned(target)
    }

    // MARK: Priorities

    /// A waiting statement takes its place among those of its new priority by its arrival.
    package func change(_ number: Int, _ priority: QueryPriority, at now: Int64) {
        guard let entry = entries[number] else { return }
        let old = entry.priority
        entry.priority = priority
        entry.request.priority = priority
        guard entry.state == .waiting, entry.startedNanoseconds == nil, old != priority else { return }
        lanes[entry.lane.index].line.insert(entry.sequence, priority)
        arrive(entry)
        startWaiting(entry.lane, at: now)
    }

    /// Of the queue with this number.
    package func figures(_ serviceClass: Int) -> Figures {
        classes[serviceClass].map { lanes[$0.index].figures } ?? Figures()
    }
    package func usedSlots(_ serviceClass: Int) -> Int { classes[serviceClass].map { lanes[$0.index].usedSlots } ?? 0 }
}
