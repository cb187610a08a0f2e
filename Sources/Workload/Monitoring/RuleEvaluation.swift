import Platform

/// Monitoring rules of running statements, evaluated ten times a second (Redshift: every ten seconds), with the
/// manager's monitor held.
extension WorkloadManager {
    func evaluateRules(_ now: Int64) {
        for number in state.running.keys.sorted() {
            guard let entry = state.scheduler.entries[number], entry.state == .running,
                var running = state.running[number]
            else { continue }
            let rules = entry.home.definition.rules
            if rules.isEmpty { continue }
            let holding = running.watch.newlyHolding(rules, metrics(entry, running, now))
            state.running[number] = running
            for (index, rule) in holding.enumerated() {
                act(rule, isFirst: index == 0, number, entry, now)
            }
        }
    }

    /// What a statement has come to that ended between two rounds: too late for anything but the log.
    func evaluateLast(_ number: Int, _ now: Int64) {
        guard let entry = state.scheduler.entries[number], var running = state.running[number] else { return }
        let rules = entry.home.definition.rules.filter { $0.action == .log }
        if rules.isEmpty { return }
        let holding = running.watch.newlyHolding(rules, metrics(entry, running, now))
        state.running[number] = running
        for rule in holding { act(rule, isFirst: true, number, entry, now) }
    }

    /// Several rules: the most severe one acts, the others are told of.
    private func act(_ rule: MonitoringRule, isFirst: Bool, _ number: Int, _ entry: Scheduler.Entry, _ now: Int64) {
        var done = "none"
        var value = ""
        if isFirst, let ticket = state.running[number]?.ticket {
            switch rule.action {
            case .log: done = "log"
            case .abort where !entry.request.kind.isExempt:
                end(ticket, .rule(rule.name), .queryMonitoring)
                done = "abort"
            case .abort: break
            case .hop where !entry.request.kind.isExempt: done = hop(number, now, .rule(rule.name))
            case .hop: break
            case .changePriority(let priority):
                state.scheduler.change(number, priority, at: now)
                ticket.share.change(level: level(number))
                (done, value) = (rule.action.name, priority.name)
            }
        }
        state.actions.append(
            RuleAction(
                user: entry.request.user.id, query: entry.request.query, serviceClass: entry.home.id,
                serviceClassName: entry.home.name, rule: rule.name, action: done, value: value,
                microseconds: time.wallMicroseconds()))
    }

    func metrics(_ entry: Scheduler.Entry, _ running: Running, _ now: Int64) -> QueryMetrics {
        let meter = running.ticket.meter
        var metrics = QueryMetrics()
        metrics.cpuSeconds = Double(meter.cpuNanoseconds) / 1e9
        metrics.blocksRead = meter.blocksRead
        metrics.scanRows = meter.sum(.scanRows)
        metrics.nestedLoopRows = meter.sum(.nestedLoopRows)
        metrics.joinRows = meter.sum(.joinRows) + metrics.nestedLoopRows
        metrics.returnRows = meter.returnedRows
        metrics.temporaryBlocks = (meter.temporaryBytes + (1 << 20) - 1) >> 20
        metrics.queueSeconds = Double(running.queueNanoseconds) / 1e9
        metrics.executionSeconds = Double(max(now - (entry.startedNanoseconds ?? now), 0)) / 1e9
        metrics.segmentSeconds = Double(meter.segmentNanoseconds) / 1e9
        running.ticket.skews.withLock { (metrics.cpuSkew, metrics.ioSkew) = ($0.cpu, $0.io) }
        metrics.priority = entry.priority
        return metrics
    }

    package var ruleActions: [RuleAction] { monitor.withLock { state.actions.elements } }
}
