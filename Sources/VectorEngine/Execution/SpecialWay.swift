/// The engine's ways around the plain one: each gives the same answers faster, and each can be switched off
/// (`SET redbarn_disable TO 'dense_groups,packed_sums'`), so that tests can compare the answers. A new special way gets
/// a case here, a place that asks ``ExecutionContext/takes(_:)``, and is thereby part of the test worlds.
package enum SpecialWay: String, CaseIterable, Sendable, Hashable {
    /// Expressions over small domains are tabulated once and looked up.
    case domainEvaluation = "domain_evaluation"
    /// Columns sit in the narrowest integers that their bounds allow, and sums that cannot overflow are not checked.
    case narrowCodes = "narrow_codes"
    /// Text columns are read as codes of one dictionary.
    case dictionaryCodes = "dictionary_codes"
    /// Scans test conditions on encoded blocks and skip blocks by zone maps.
    case encodedFilters = "encoded_filters"
    /// Ranges of the sort column are found by binary search.
    case sortedRanges = "sorted_ranges"
    /// Batches with few failed rows keep them, under a mask.
    case masks
    /// Columns are fetched for surviving rows only, where they are first used.
    case lateFetch = "late_fetch"
    /// Finished build sides filter the scans of the other side.
    case runtimeFilters = "runtime_filters"
    /// Joins over small ranges of keys look rows up in arrays.
    case denseJoins = "dense_joins"
    /// Join and group keys are packed into 64-bit codes.
    case packedKeys = "packed_keys"
    /// Groups over small ranges of keys are numbered by their keys.
    case denseGroups = "dense_groups"
    /// Several sums share a 64-bit word.
    case packedSums = "packed_sums"
    /// COUNT, MIN and MAX of whole tables come from the parts' footers.
    case metadataAggregates = "metadata_aggregates"
    /// COUNT(DISTINCT) keeps bits or numbers instead of records.
    case distinctCodes = "distinct_codes"
    /// ORDER BY with LIMIT keeps the first rows only.
    case topN = "top_n"
    /// Workers share a boundary above which rows are dropped.
    case topNBoundary = "top_n_boundary"
    /// Ranks and sums from the first row in one pass.
    case runningWindows = "running_windows"
    /// CASE of constant texts gives codes.
    case caseCodes = "case_codes"
    /// Rounding, quotients, extremes and parts of timestamps in vectors.
    case vectorFunctions = "vector_functions"
    /// Short rounds of a recursion without joins run over one compiled pipeline; other rounds share the inner sides of
    /// joins that do not change.
    case repeatedRounds = "repeated_rounds"
    /// Loads hold integers in 16 or 32 bits while they fit.
    case narrowLoads = "narrow_loads"
    /// Procedures compute plain arithmetic over numbers themselves.
    case procedureWords = "procedure_words"
    /// Plans are kept and shared by statements that differ in literals only.
    case planCache = "plan_cache"
    /// Results of queries over unchanged tables are kept and given out again.
    case resultCache = "result_cache"
}

/// How a query runs beside what it asks: for tests and for finding faults.
package struct ExecutionOptions: Sendable, Hashable {
    package var disabled: Set<SpecialWay>
    /// After every step its vectors are checked, and values behind NULL are overwritten with garbage.
    package var verifiesVectors: Bool
    /// Operators that can go to the temporary area do so from the first row.
    package var spillsAlways: Bool

    package init(disabled: Set<SpecialWay> = [], verifiesVectors: Bool = false, spillsAlways: Bool = false) {
        self.disabled = disabled
        self.verifiesVectors = verifiesVectors
        self.spillsAlways = spillsAlways
    }
}
