enum Icon {
    case alert, arrowBack, arrowOn, cancel, check, clock, globe, link, list, lock, mail, pencil, person, phone, plus
    case refresh, screen, shield, signOut, terminal

    /// The icon as SVG, hidden from screen readers because text always accompanies the icon.
    var markup: Markup {
        Markup("<svg class=\"i\" viewBox=\"0 0 24 24\" aria-hidden=\"true\">") + Markup(shapes) + Markup("</svg>")
    }

    /// The icon as SVG, mirrored in right-to-left languages.
    var mirrored: Markup {
        Markup("<svg class=\"i flip\" viewBox=\"0 0 24 24\" aria-hidden=\"true\">") + Markup(shapes) + Markup("</svg>")
    }

    private var shapes: StaticString {
        switch self {
        case .alert: "<circle cx=\"12\" cy=\"12\" r=\"9\"/><path d=\"M12 7.5V13M12 16.4v.1\"/>"
        case .arrowBack: "<path d=\"M19 12H5.5m6-6-6 6 6 6\"/>"
        case .arrowOn: "<path d=\"m9.5 6.5 5.5 5.5-5.5 5.5\"/>"
        case .cancel: "<path d=\"m7 7 10 10M17 7 7 17\"/>"
        case .check: "<path d=\"m5 12.5 4.5 4.5L19 7.5\"/>"
        case .clock: "<circle cx=\"12\" cy=\"12\" r=\"9\"/><path d=\"M12 7v5.2l3.2 2\"/>"
        case .globe:
            "<circle cx=\"12\" cy=\"12\" r=\"9\"/><path d=\"M3.5 12h17M12 3c5 5 5 13 0 18M12 3c-5 5-5 13 0 18\"/>"
        case .link:
            "<path d=\"M10 6.5 12 4.5a5 5 0 0 1 7 7L17 13.5M14 17.5l-2 2a5 5 0 0 1-7-7l2-2M3.5 5.5 6 7M18 17l2.5 1.5\"/>"
        case .list: "<path d=\"M9.5 7H20M9.5 12H20M9.5 17H20M4 7h1M4 12h1M4 17h1\"/>"
        case .lock:
            "<rect x=\"4.5\" y=\"10.5\" width=\"15\" height=\"10\" rx=\"2.5\"/><path d=\"M8 10.5V8a4 4 0 0 1 8 0v2.5M12 14.5v2\"/>"
        case .mail: "<rect x=\"3\" y=\"5\" width=\"18\" height=\"14\" rx=\"2.5\"/><path d=\"m4 8 8 5.5L20 8\"/>"
        case .phone: "<rect x=\"7\" y=\"2.5\" width=\"10\" height=\"19\" rx=\"2.5\"/><path d=\"M11 18.2h2\"/>"
        case .pencil: "<path d=\"m4 20 1-4.5L16 4.5a2.1 2.1 0 0 1 3.5 3.5L8.5 19zM14 6.5l3.5 3.5\"/>"
        case .person: "<circle cx=\"12\" cy=\"8\" r=\"4\"/><path d=\"M4.5 20c1-3.6 4-5.5 7.5-5.5s6.5 1.9 7.5 5.5\"/>"
        case .plus: "<path d=\"M12 6v12M6 12h12\"/>"
        case .refresh: "<path d=\"M19.8 13A8 8 0 1 1 18 6.7L20 8.5M20 4v4.5h-4.5\"/>"
        case .screen: "<rect x=\"5\" y=\"5\" width=\"14\" height=\"10\" rx=\"2\"/><path d=\"M2.5 19h19\"/>"
        case .shield: "<path d=\"M12 3.5 19 6v5.5c0 4.5-2.9 7.5-7 9-4.1-1.5-7-4.5-7-9V6zM9 12l2.2 2.2L15 10.5\"/>"
        case .signOut:
            "<path d=\"M14 4.5H7a2.5 2.5 0 0 0-2.5 2.5v10A2.5 2.5 0 0 0 7 19.5h7M10 12h10m-3.5-3.5L20 12l-3.5 3.5\"/>"
        case .terminal:
            "<rect x=\"3\" y=\"4.5\" width=\"18\" height=\"15\" rx=\"3\"/><path d=\"m7 9.5 3 2.5-3 2.5M12.5 15H17\"/>"
        }
    }
}
