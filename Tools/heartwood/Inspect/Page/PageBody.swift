/// What the page is made of before its script fills it.
enum PageBody {
    static let html = #"""
        <body>
        <a class="skip" href="#map">Skip to the map</a>
        <header>
          <div><p class="kicker">heartwood inspect</p><h1 id="path"></h1></div>
          <button type="button" id="theme">Theme: as the system</button>
        </header>
        <noscript><p class="box">This page needs its script: it is in the page, and asks nothing of the network.</p></noscript>
        <p id="error" class="box bad" role="alert" hidden></p>
        <main>
          <section id="summary" aria-label="Summary"></section>
          <section id="advice" aria-labelledby="advice-title" hidden>
            <h2 id="advice-title">What to do</h2><ul></ul>
          </section>
          <section id="findings" aria-labelledby="findings-title">
            <h2 id="findings-title">Findings</h2><div></div>
          </section>
          <section id="map" aria-labelledby="map-title">
            <h2 id="map-title">Map of the files</h2>
            <p class="hint" id="extent"></p>
            <ul id="legend" aria-label="What the patterns stand for"></ul>
            <div id="overview" role="group" aria-label="Files"></div>
            <h3 id="shown"></h3>
            <div class="tools" role="group" aria-label="Zoom">
              <button type="button" data-do="in" aria-label="Zoom in">+</button>
              <button type="button" data-do="out" aria-label="Zoom out">−</button>
              <button type="button" data-do="left" aria-label="To the left">←</button>
              <button type="button" data-do="right" aria-label="To the right">→</button>
              <button type="button" data-do="all">Whole file</button>
              <button type="button" data-do="previous">Previous record</button>
              <button type="button" data-do="next">Next record</button>
              <span id="range"></span>
            </div>
            <div id="stage">
              <canvas id="view" tabindex="0" role="img" aria-describedby="keys"></canvas>
              <div id="tip" hidden></div>
            </div>
            <p class="hint" id="keys">Wheel or + and − zoom, dragging or the arrow keys move, 0 shows the whole file,
              N and P go to the next and the previous record, Enter zooms to it, a click selects one.</p>
            <p class="hint" id="detail" aria-live="polite"></p>
            <div id="panel" aria-live="polite"></div>
            <details id="inview"><summary>Records in view</summary><div class="scroll"></div></details>
          </section>
          <section id="chain" aria-labelledby="chain-title">
            <h2 id="chain-title">How the files follow each other</h2><ol></ol>
          </section>
          <section id="time" aria-labelledby="time-title">
            <h2 id="time-title">What was written when</h2><div class="row"></div>
          </section>
          <section id="figures" aria-labelledby="figures-title">
            <h2 id="figures-title">Bytes, records and sizes</h2><div class="row"></div>
          </section>
          <section id="largest" aria-labelledby="largest-title">
            <h2 id="largest-title">Largest records</h2><div class="scroll"></div>
          </section>
        </main>
        <footer><p id="made"></p></footer>
        """#
}
