/// A promise that ``BrokenStore`` breaks.
enum Fault: CaseIterable, Sendable {
    // Writes
    case splitsBatches, losesLastOperation, keepsRemovedKey, returnsOldNumber, writesDespiteConflict
    case writesBeforeLimits, writesCancelled, writesInsideTransactions
    // Conditions
    case ignoresConditions, ignoresRangeRemovals, ignoresRangeInserts, ignoresKeyRemovals, comparesValues
    case evaluatesAfterBatch, evaluatesOneCondition, skipsConditionsOfEmptyBatch, zeroIsAbsent, acceptsForeignViews
    case rangeConditionOmitsUpperBound
    // Expiry
    case countsExpiryPerKey, keepsPastExpiry, expiryIsAChange
    // Reads
    case forgetsMoment, showsOldView, wrongPosition, readsKeysOneByOne, readsPageOneByOne, omitsRepeatedKeys
    case ignoresReverse, includesExcludedBound, excludesIncludedBound, losesNextPage, shortPages, countsOneTooMany
    case lendsTwice, acceptsEmptyKey, acceptsEmptyPage, readsNewKeys, readsOneKeyTooMany
    // Feeds
    case losesChange, repeatsChange, swapsChanges, marksEachChange, marksBeforeFilter, beginsAtStart, repeatsPosition
    case endsAtEnd, endsOnCancellation, followsOtherStores, losesRemovals
    // Observers
    case clockIsLate, expiresAnywhere, observesOldView

    /// The check that must fail.
    var check: String {
        switch self {
        case .splitsBatches: "all keys of a batch have its sequence number"
        case .losesLastOperation: "all keys of a batch have its sequence number"
        case .keepsRemovedKey: "a removed key is absent, and can be put again"
        case .returnsOldNumber: "each write has a greater sequence number than those before"
        case .writesDespiteConflict: "a batch whose condition doesn't hold writes nothing"
        case .writesBeforeLimits: "a batch over the limits is refused before anything is written"
        case .writesCancelled: "a write that throws .cancelled has written nothing"
        case .writesInsideTransactions:
            "a write inside the body of a transaction on its store is refused, whichever call makes it"
        case .ignoresConditions: "concurrent increments lose nothing"
        case .ignoresRangeRemovals:
            "unchangedRange sees a key of the range that is removed, and none outside"
        case .ignoresRangeInserts: "unchangedRange sees a key that is put in the range, and none outside"
        case .ignoresKeyRemovals: "unchangedKey doesn't hold if the key was removed since the view"
        case .comparesValues: "unchangedKey doesn't hold if the key was set since the view"
        case .evaluatesAfterBatch: "conditions are about the state before the batch"
        case .evaluatesOneCondition: "all conditions of a batch must hold"
        case .skipsConditionsOfEmptyBatch: "a batch without operations only checks its conditions"
        case .zeroIsAbsent: "sequence holds only for the number of the last write that set the key"
        case .acceptsForeignViews: "a condition with a view of another store is refused"
        case .rangeConditionOmitsUpperBound:
            "unchangedRange sees a key that is put in the range, and none outside"
        case .countsExpiryPerKey: "the expiries of a batch count from one moment"
        case .keepsPastExpiry: "a key that is put with an expiry in the past is absent"
        case .expiryIsAChange: "an expiry isn't a change for conditions"
        case .forgetsMoment: "a view shows the same after later writes"
        case .showsOldView: "a view shows what was acknowledged before it was made"
        case .wrongPosition: "a view's position is that of the last write that it shows"
        case .readsKeysOneByOne: "one call sees one moment beside writers"
        case .readsPageOneByOne: "one call sees one moment beside writers"
        case .omitsRepeatedKeys: "many keys are answered in the order of the question"
        case .ignoresReverse: "keys are in the order of unsigned bytes, in both directions"
        case .includesExcludedBound, .excludesIncludedBound: "every kind of bound limits reads and counts"
        case .losesNextPage: "the pages of a range follow each other without a gap"
        case .shortPages: "a page has as many entries as the limit allows, past removed keys"
        case .readsNewKeys, .readsOneKeyTooMany:
            "the keys of a view are those of its entries, as many as the limit allows"
        case .countsOneTooMany: "a count is the number of keys, after each write"
        case .lendsTwice: "a lent value is the entry's"
        case .acceptsEmptyKey: "a key outside the limits is refused in each call"
        case .acceptsEmptyPage: "a limit below 1 is refused"
        case .losesChange, .repeatsChange, .swapsChanges, .losesRemovals:
            "a feed has every write after its position, whole and in order"
        case .marksEachChange: "a feed beside writers has every batch once, whole and in order"
        case .marksBeforeFilter: "a feed of a range has the changes of its keys, and the last of each batch says so"
        case .beginsAtStart: "a feed without a position begins with the next write"
        case .repeatsPosition: "a feed continues from each position without a gap or a repetition"
        case .endsAtEnd: "a feed waits at its end for the next write"
        case .endsOnCancellation: "a cancelled feed throws .cancelled"
        case .followsOtherStores: "a position of another store can't be followed"
        case .clockIsLate: "a store's time is that by which keys expire"
        case .expiresAnywhere: "the next expiry of a range is the first one in it"
        case .observesOldView: "an observer's view shows what a visible feed has delivered"
        }
    }
}
