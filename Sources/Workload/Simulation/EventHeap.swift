/// What comes first of many moments, in logarithmic time. Moments are nanoseconds, exact up to a hundred days.
struct EventHeap: Sendable {
    private var moments: [Double] = []
    private var payloads: [Int] = []

    var isEmpty: Bool { moments.isEmpty }
    var firstMoment: Double? { moments.first }
    var firstPayload: Int? { payloads.first }

    mutating func push(_ moment: Double, _ payload: Int) {
        var place = moments.count
        moments.append(moment)
        payloads.append(payload)
        while place > 0 {
            let parent = (place - 1) / 2
            if moments[parent] <= moment { break }
            moments[place] = moments[parent]
            payloads[place] = payloads[parent]
            place = parent
        }
        moments[place] = moment
        payloads[place] = payload
    }

    mutating func removeFirst() {
        guard let moment = moments.popLast(), let payload = payloads.popLast(), !moments.isEmpty else { return }
        let count = moments.count
        var place = 0
        while true {
            var child = 2 * place + 1
            if child >= count { break }
            if child + 1 < count, moments[child + 1] < moments[child] { child += 1 }
            if moments[child] >= moment { break }
            moments[place] = moments[child]
            payloads[place] = payloads[child]
            place = child
        }
        moments[place] = moment
        payloads[place] = payload
    }

    mutating func removeAll() {
        moments.removeAll(keepingCapacity: true)
        payloads.removeAll(keepingCapacity: true)
    }
}
