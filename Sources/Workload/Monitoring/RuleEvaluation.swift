import Platform

/// Monitoring rules of running statements, evaluated ten times a second (Redshift: every ten seconds), with the
/// manager's monitor held.
extension WorkloadManager {
    func evaluateRules(_ now: Int64) {
        for entry in state.scheduler.running.sorted(by: { $0.sequence < $1.sequence }) {
            let rules = entry.home.definition.rules
            guard !rules.isEmpty, let ticket = entry.ticket else { continue }
            let holding = ticket.watch.newlyHolding(rules, metrics(entry, ticket, now))
            for (index, rule) in holding.enumerated() { act(rule, isFirst: index == 0, entry, now) }
        }
    }

    /// What a statement has come to that ended between two rounds: too late for anything but the log.
    func evaluateLast(_ entry: Scheduler.Entry, _ ticket: AdmissionTicket, _ now: Int64) {
        let rules = entry.home.definition.rules.filter { $0.action == .log }
        if rules.isEmpty { return }
        let holding = ticket.watch.newlyHolding(rules, metrics(entry, ticket, now))
        for rule in holding { act(rule, isFirst: true, entry, now) }
    }

    /// Several rules: the most severe one acts, the others are told of.
    private func act(_ rule: MonitoringRule, isFirst: Bool, _ entry: Scheduler.Entry, _ now: Int64) {
        var done = "none"
        var value = ""
        if isFirst, let ticket = entry.ticket {
            switch rule.action {
            case .log: done = "log"
            case .abort where !entry.request.kind.isExempt:
                end(ticket, .rule(rule.name))
                done = "abort"
            case .abort: break
            case .hop where !entry.request.kind.isExempt: done = hop(entry.sequence, now, .rule(rule.name))
            case .hop: break
            case .changePriority(let priority):
                state.scheduler.change(entry.sequence, priority, at: now)
                ticket.share.change(level: level(entry))
                (done, value) = (rule.action.name, priority.name)
            }
        }
        state.actions.append(
            RuleAction(
                user: entry.request.user.id, query: entry.request.query, serviceClass: entry.home.id,
                serviceClassName: entry.home.name, rule: rule.name, action: done, value: value,
                microseconds: time.wallMicroseconds()))
    }

    func metrics(_ entry: Scheduler.Entry, _ ticket: AdmissionTicket, _ now: Int64) -> QueryMetrics {
        let share = ticket.share
        var metrics = QueryMetrics()
        metrics.cpuSeconds = Double(share.meter.cpuNanoseconds) / 1e9
        metrics.blocksRead = share.meter.blocksRead
        metrics.scanRows = share.meter.sum(.scanRows)
        metrics.nestedLoopRows = share.meter.sum(.nestedLoopRows)
        metrics.joinRows = share.meter.sum(.joinRows) + metrics.nestedLoopRows
        metrics.returnRows = share.meter.returnedRows
        metrics.temporaryBlocks = (share.meter.temporaryBytes + (1 << 20) - 1) >> 20
        metrics.queueSeconds = Double(ticket.queueNanoseconds) / 1e9
        metrics.executionSeconds = Double(entry.ranNanoseconds(at: now)) / 1e9
        metrics.segmentSeconds = Double(share.meter.segmentNanoseconds) / 1e9
        (metrics.cpuSkew, metrics.ioSkew) = (ticket.cpuSkew, ticket.ioSkew)
        metrics.priority = entry.priority
        return metrics
    }

    package var ruleActions: [RuleAction] { monitor.withLock { state.actions.elements } }
}
