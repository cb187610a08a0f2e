/// A statement as the simulator knows it: what it asks of workload management, and what it does once it runs.
package struct SimulatedStatement: Sendable {
    package var request: AdmissionRequest
    /// Since the beginning; of all but the first of a stream: since the end of the one before.
    package var arrivalNanoseconds: Int64
    /// Processor time that it takes, on all its cores together.
    package var workNanoseconds: Int64
    /// As many as it can use at the same time.
    package var cores = 1
    /// How long it waits for a lock after a tenth of its work; 0: it does not.
    package var lockNanoseconds: Int64 = 0
    /// When its client has had enough and cancels it, wherever it is; 0: never.
    package var patienceNanoseconds: Int64 = 0

    package init(request: AdmissionRequest, arrivalNanoseconds: Int64, workNanoseconds: Int64, cores: Int = 1) {
        self.request = request
        self.arrivalNanoseconds = arrivalNanoseconds
        self.workNanoseconds = workNanoseconds
        self.cores = cores
    }
}

/// What a simulation runs.
package struct SimulatedWorkload: Sendable {
    /// They come at their time, whatever has become of the others.
    package var arrivals: [SimulatedStatement]
    /// Clients that send the next statement when the one before has ended.
    package var streams: [[SimulatedStatement]]

    package init(arrivals: [SimulatedStatement] = [], streams: [[SimulatedStatement]] = []) {
        self.arrivals = arrivals
        self.streams = streams
    }

    package var count: Int { streams.reduce(arrivals.count) { $0 + $1.count } }
}
