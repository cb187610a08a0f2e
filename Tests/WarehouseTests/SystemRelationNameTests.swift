import Testing

@testable import Warehouse

/// A second relation of a name would hide the first one without a word.
struct SystemRelationNameTests {
    @Test func everyNameStandsOnce() {
        let names = SystemRelations.all.map(\.planName)
        let twice = Dictionary(grouping: names, by: \.self).filter { $0.value.count > 1 }.keys.sorted()
        #expect(twice.isEmpty, "\(twice)")
    }
}
