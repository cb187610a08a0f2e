import Warehouse
import Workload

/// What `/metrics` says of the queues of workload management: Prometheus text, a line for each queue.
struct QueueMetricsPage {
    private let queues: [(labels: String, queue: WorkloadManager.Queue, times: QueueTimes.Figures)]
    private var lines = ""

    /// - Returns: the text.
    static func text(_ warehouse: Warehouse) -> String {
        var page = QueueMetricsPage(warehouse)
        page.write()
        return page.lines
    }

    private init(_ warehouse: Warehouse) {
        queues = warehouse.workload.queues.map { queue in
            let id = queue.serviceClass.id
            let labels = "service_class=\"\(id)\",queue=\"\(QueueMetricsPage.escaped(queue.serviceClass.name))\""
            return (labels, queue, warehouse.queueTimes[id])
        }
    }

    private mutating func write() {
        add("waiting", "gauge", "Statements that wait for a slot.") { $0.figures.queued }
        add("running", "gauge", "Statements that run.") { $0.figures.executing }
        add("slots", "gauge", "Slots of queues that have some.") { $0.serviceClass.slots }
        add("slots_used", "gauge", "Slots in use, without those of concurrency scaling.") { $0.usedSlots }
        add("admitted_total", "counter", "Statements that have come into the queue.") { $0.figures.serviced }
        add("ended_total", "counter", "Statements that have ended in the queue.") { $0.figures.executed }
        add("evicted_total", "counter", "Statements that have outgrown the lane of short queries.") {
            $0.figures.evicted
        }
        add("scaled_total", "counter", "Statements that have run on slots of concurrency scaling.") {
            $0.figures.scaledOut
        }
        add("hopped_total", "counter", "Statements that have gone on in another queue.") { $0.figures.hopped }
        addTimes("aborted_total", "Statements that a rule or a time limit has cancelled.") { $0.aborted }
        addTimes("restarted_total", "Statements that have begun again in another queue.") { $0.restarted }
        addHistogram("queue_seconds", "How long statements have waited for slots.") { $0.waiting }
        addHistogram("run_seconds", "How long statements have run after that.") { $0.running }
    }

    private mutating func head(_ name: String, _ kind: String, _ help: String) {
        lines += "# HELP redbarn_wlm_\(name) \(help)\n# TYPE redbarn_wlm_\(name) \(kind)\n"
    }

    private mutating func add(
        _ name: String, _ kind: String, _ help: String, _ value: (WorkloadManager.Queue) -> Int?
    ) {
        head(name, kind, help)
        for queue in queues {
            guard let value = value(queue.queue) else { continue }
            lines += "redbarn_wlm_\(name){\(queue.labels)} \(value)\n"
        }
    }

    private mutating func addTimes(_ name: String, _ help: String, _ value: (QueueTimes.Figures) -> Int) {
        head(name, "counter", help)
        for queue in queues { lines += "redbarn_wlm_\(name){\(queue.labels)} \(value(queue.times))\n" }
    }

    private mutating func addHistogram(
        _ name: String, _ help: String, _ histogram: (QueueTimes.Figures) -> QueueTimes.Histogram
    ) {
        head(name, "histogram", help)
        for queue in queues {
            let histogram = histogram(queue.times)
            var sum = 0
            for (index, count) in histogram.counts.enumerated() {
                sum += count
                let bound =
                    index < QueueTimes.boundsSeconds.count ? String(QueueTimes.boundsSeconds[index]) : "+Inf"
                lines += "redbarn_wlm_\(name)_bucket{\(queue.labels),le=\"\(bound)\"} \(sum)\n"
            }
            lines += "redbarn_wlm_\(name)_sum{\(queue.labels)} \(Double(histogram.microseconds) / 1e6)\n"
            lines += "redbarn_wlm_\(name)_count{\(queue.labels)} \(sum)\n"
        }
    }

    /// As values of labels have it.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
