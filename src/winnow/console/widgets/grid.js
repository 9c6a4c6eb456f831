// A table as plain HTML: the server sends one page of rows at a time. Text is always text.
export default {
  template: `
    <div class="w-grid-wrap" :aria-busy="busy ? 'true' : 'false'" tabindex="0" role="region" :aria-label="caption">
      <table class="w-grid">
        <caption class="w-sr">{{ caption }}</caption>
        <thead><tr>
          <th v-if="selectable" scope="col" class="w-tick"><input type="checkbox" aria-label="Select all rows shown"
            :checked="rows.length > 0 && chosen.length === rows.length" @change="all($event.target.checked)"></th>
          <th v-for="c in columns" :key="c.name" scope="col" :class="c.align">
            <button v-if="c.sortable" type="button" class="w-sort" @click="$emit('sort', c.name)">{{ c.label }}
              <span aria-hidden="true">{{ sort && sort.by === c.name ? (sort.down ? '↓' : '↑') : '↕' }}</span></button>
            <template v-else>{{ c.label }}</template></th>
          <th v-if="acting" scope="col" class="w-acts"><span class="w-sr">Actions</span></th>
        </tr></thead>
        <tbody><tr v-for="r in rows" :key="r[rowKey]" :class="r.tone ? 'w-row-' + r.tone : ''" :data-key="r[rowKey]">
          <td v-if="selectable" class="w-tick"><input type="checkbox" :aria-label="'Select ' + (r.label || r[rowKey])"
            :checked="chosen.includes(r[rowKey])" @change="one(r[rowKey], $event.target.checked)"></td>
          <td v-for="c in columns" :key="c.name" :class="c.align" :data-label="c.label">
            <template v-for="v in [of(r[c.name])]" :key="0">
              <img v-if="v.image" class="w-thumb" :src="v.image" :alt="v.alt || ''" loading="lazy" width="44" height="44">
              <svg v-if="v.line" class="w-spark" viewBox="0 0 100 28" preserveAspectRatio="none" role="img" :aria-label="v.title">
                <polyline :points="spark(v.line)" /></svg>
              <span v-if="v.tone" class="w-badge" :class="'w-' + v.tone" :title="v.title">{{ v.text }}</span>
              <a v-else-if="v.href" :href="v.href" :title="v.title" :class="[{ 'w-mono': v.mono }, fit(v.text)]">{{ v.text }}</a>
              <span v-else-if="!v.line" :title="v.title" :class="[{ 'w-mono': v.mono }, fit(v.text)]">{{ v.text }}</span>
              <span v-if="v.sub" class="w-sub" :class="[fit(v.sub), v.trend ? 'w-trend-' + v.trend : '']">{{ v.sub }}</span>
            </template></td>
          <td v-if="acting" class="w-acts"><button v-for="a in r.actions || []" :key="a.name" type="button"
            class="w-button w-small" :class="{ 'w-danger-quiet': a.danger }" :disabled="a.disabled" :title="a.title"
            :aria-label="a.label + ' ' + (r.label || r[rowKey])"
            @click="$emit('act', { name: a.name, key: r[rowKey] })">{{ a.label }}</button></td>
        </tr></tbody>
      </table>
    </div>`,
  props: { columns: Array, rows: Array, rowKey: String, caption: String, selectable: Boolean, busy: Boolean, sort: Object },
  data() {
    return { chosen: [] };
  },
  computed: {
    acting() {
      return this.rows.some((r) => r.actions && r.actions.length);
    },
  },
  watch: {
    rows() {
      this.chosen = this.chosen.filter((k) => this.rows.some((r) => r[this.rowKey] === k));
      this.$emit("choose", this.chosen);
    },
  },
  methods: {
    of(value) {
      return value !== null && typeof value === "object" ? value : { text: value ?? "–" };
    },
    // From the oldest on the left to the newest on the right, the highest on top.
    spark(values) {
      const low = Math.min(...values), span = Math.max(...values) - low || 1;
      const step = 96 / Math.max(1, values.length - 1);
      return values.map((v, n) => `${(2 + n * step).toFixed(1)},${(25 - (22 * (v - low)) / span).toFixed(1)}`).join(" ");
    },
    // Words stay whole; only what is too long for any column, as addresses are, is broken.
    fit(text) {
      const words = String(text ?? "").split(/\s+/);
      return words.some((w) => w.length > 28) ? "w-long" : text && String(text).length < 15 ? "w-short" : "";
    },
    one(key, on) {
      this.chosen = on ? [...this.chosen, key] : this.chosen.filter((k) => k !== key);
      this.$emit("choose", this.chosen);
    },
    all(on) {
      this.chosen = on ? this.rows.map((r) => r[this.rowKey]) : [];
      this.$emit("choose", this.chosen);
    },
  },
};
