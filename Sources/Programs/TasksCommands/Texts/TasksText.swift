import Terminal

/// A sentence that `tasks` says.
enum TasksText: ScreenText, Hashable {
    // MARK: Tasks and people

    case added(id: String, text: String)
    case changed(id: String, text: String)
    case done(String)
    case deletedTask(String)
    case restored(String)
    case inAll(Int)
    case nothingToDo
    case nothingToShow
    case signedIn(String)
    case nextTasks
    case using(String)

    // MARK: Syncing

    /// The first part of the result of a sync; the others stand behind it.
    case sent(Int)
    case received(Int)
    case deleted(Int)
    case dropped(Int)
    case leftAlone(Int)
    /// The progress of a sync, on one line.
    case sending(Int, waiting: Int)
    case receiving(Int)
    case undecided(Int)
    case undecidedHint(Int)
    /// The same, where a command goes on.
    case undecidedNote(Int)
    case notUpToDate(String)
    case keptHere(String)
    case noChoice
    case needsResolve

    // MARK: Conflicts

    case noConflicts
    case idTaken
    case idTakenByDeleted
    case bothChanged
    case changedHereDeletedThere
    case changedHereUnknownThere
    case deletedHereChangedThere
    case bothDeleted
    case deletedHereUnknownThere
    case column
    case mine
    case server
    case deletedSide
    case unknownSide
    case question
    case resolved(String)
    case sayOne

    // MARK: What waits

    case nothingWaits
    case edit
    case state
    case textColumn
    case toDecide(Int)
    case pending
    case conflict
    case refused
    case insert
    case update
    case delete

    // MARK: Purging

    case removed(Int)
    case removedHint
    case unsentEdits
    case unsentEditsHint

    // MARK: Files

    case imported(added: Int, changed: Int, of: Int)
    case notImported(Int)
    case notImportedHint
    case storeDamaged
    case storeDamagedHint
    case cannotRead(file: String)
    case unreadable(String)
    case nothingImported
    case tooLarge
    case notUTF8
    case notAnArray
    case element(Int)
    case row(Int)
    case line(Int)
    case notAnObject(place: String)
    case noTextColumn
    case noColumn(String)
    case cellCount(place: String, cells: Int, heading: Int)
    case openQuote(place: String)
    case innerQuote(place: String)
    case impossibleID(place: String)
    case noText(place: String)
    case notTruth(column: String, place: String)
    case notDate(column: String, place: String)
    case notNumber(column: String, place: String)

    // MARK: Lists

    case dueHeading
    case priorityHeading
    case deletedState
    case doneState

    // MARK: Failures

    case noTask(String)
    case taskExists(id: String)
    case taskChanged
    case keptOrDecided(id: String)
    case keptInConflict
    case keptUncorrected(id: String)
    case lookAgain
    case weakSignIn
    case distrusted
    case isRunning
    case correctIt(String)
    case noBalance
    case unsent(Int)
    case unsentHint
    case savedEdits(file: String)
    case savedEditsHint
    case sendFirst(Int)

    // MARK: Wrong arguments

    case pushOrPull
    case fullIsFetched
    case askIsSent
    case noRowID(String)
    case sayChange
    case sayText
    case jsonIsAFormat
    case atLeastZero(String)
    case noPair(String)
    case dates
    case noDay(String)
    case noPriority
    case syncIsAutoOrManual(String)
}
